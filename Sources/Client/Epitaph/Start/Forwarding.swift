// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphUpload

// The functions that programs use most. If Epitaph does not run, functions without a result do
// nothing, and functions that can throw do so. `reporter` has the rest.
extension Epitaph {
    /// See `CrashReporter.addBreadcrumb`.
    public func addBreadcrumb(
        _ message: String, level: BreadcrumbLevel = .info, category: String = "",
        attributes: [String: AttributeValue] = [:], type: String = ""
    ) {
        phase.launch?.reporter.addBreadcrumb(
            message, level: level, category: category, attributes: attributes, type: type)
    }

    /// As `CrashReporter.noteSignal`.
    public func noteSignal(_ signal: Int32, sender: Int32? = nil) {
        phase.launch?.reporter.noteSignal(signal, sender: sender)
    }

    /// Sets an annotation of every report of this process; see `CrashReporter.setAnnotation`.
    ///
    /// - Returns: false if it was not set, because Epitaph does not run, the name is empty or
    ///   longer than 255 bytes, or all 128 annotations are in use.
    @discardableResult
    public func setAnnotation(_ name: String, to value: String) -> Bool {
        guard let launch = phase.launch else { return false }
        return (try? launch.reporter.setAnnotation(name, to: value)) != nil
    }

    /// Removes an annotation; does nothing if there is none of this name.
    public func removeAnnotation(_ name: String) {
        try? phase.launch?.reporter.removeAnnotation(name)
    }

    /// See `CrashReporter.setLastWords`. May be called before the start.
    public func setLastWords(_ text: String?) {
        CrashReporter.setLastWords(text)
    }

    /// See `CrashReporter.captureLiveDump()`.
    @discardableResult
    public func captureLiveDump() throws(LiveDumpError) -> UUID {
        guard let reporter else { throw .notStarted }
        return try reporter.captureLiveDump()
    }

    /// See `CrashReporter.reportLiveDump()`; blocks.
    @discardableResult
    public func reportLiveDump() throws(LiveDumpError) -> UUID {
        guard let reporter else { throw .notStarted }
        return try reporter.reportLiveDump()
    }

    /// See `CrashReporter.reportLiveDump()`.
    @discardableResult
    public func reportLiveDump() async throws(LiveDumpError) -> UUID {
        guard let reporter else { throw .notStarted }
        return try await reporter.reportLiveDump()
    }

    /// Sends the pending reports to any kind of collector, besides `Configuration.destination`.
    ///
    /// - Returns: the running uploads, which go on when it is dropped; nil where Epitaph does not
    ///   run.
    /// - Throws: `UploadStartError` if no thread can be created.
    @discardableResult
    public func startUploads(
        to destination: DestinationSpecification,
        with destinationOptions: DestinationOptions = DestinationOptions(),
        options: UploadOptions = UploadOptions(),
        completion: @escaping @Sendable (UploadOutcome) -> Void = { _ in }
    ) throws(UploadStartError) -> Uploads? {
        try reporter?.startUploads(
            to: destination, with: destinationOptions, options: options, completion: completion)
    }
}

extension Epitaph {
    /// Ends the program in one way or another, if `Configuration.capture.allowsTestCrashes` is set.
    ///
    /// - Throws: `TestCrashRefusal`; otherwise this does not return.
    public func generateTestCrash(_ crash: TestCrash) throws(TestCrashRefusal) {
        guard let reporter else {
            throw TestCrashRefusal(kind: .notStarted, description: "Epitaph has not been started")
        }
        try reporter.generateTestCrash(crash)
    }
}

extension LiveDumpError {
    fileprivate static var notStarted: LiveDumpError {
        LiveDumpError(sentence: "Epitaph has not been started")
    }
}
