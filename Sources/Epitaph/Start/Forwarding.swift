// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import ReportDatabase
import ReportUpload

// What programs do most. Where Epitaph does not run, what returns nothing does nothing, and what
// can throw says so. `reporter` has the rest.
extension Epitaph {
    /// As `CrashReporter.addBreadcrumb`.
    public func addBreadcrumb(
        _ message: String, level: BreadcrumbLevel = .info, category: String = "",
        attributes: [String: AttributeValue] = [:], type: String = ""
    ) {
        phase.launch?.reporter.addBreadcrumb(
            message, level: level, category: category, attributes: attributes, type: type)
    }

    /// Sets an annotation of the report this process may leave, as `CrashReporter.setAnnotation`.
    ///
    /// - Returns: false where it was not set, because Epitaph does not run, the name is empty or
    ///   longer than 255 bytes, or all 128 annotations are in use.
    @discardableResult
    public func setAnnotation(_ name: String, to value: String) -> Bool {
        guard let launch = phase.launch else { return false }
        return (try? launch.reporter.setAnnotation(name, to: value)) != nil
    }

    /// Removes an annotation; one that is not there is as good as removed.
    public func removeAnnotation(_ name: String) {
        try? phase.launch?.reporter.removeAnnotation(name)
    }

    /// As `CrashReporter.setLastWords`. May be called before the start.
    public func setLastWords(_ text: String?) {
        CrashReporter.setLastWords(text)
    }

    /// As `CrashReporter.captureLiveDump()`.
    @discardableResult
    public func captureLiveDump() throws(LiveDumpError) -> UUID {
        guard let reporter else { throw .notStarted }
        return try reporter.captureLiveDump()
    }

    /// As `CrashReporter.reportLiveDump()`; blocks.
    @discardableResult
    public func reportLiveDump() throws(LiveDumpError) -> UUID {
        guard let reporter else { throw .notStarted }
        return try reporter.reportLiveDump()
    }

    /// As `CrashReporter.reportLiveDump()`.
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
        to destination: any ReportDestination, options: UploadOptions = UploadOptions(),
        completion: @escaping @Sendable (UploadOutcome) -> Void = { _ in }
    ) throws(UploadStartError) -> Uploads? {
        try reporter?.startUploads(to: destination, options: options, completion: completion)
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
