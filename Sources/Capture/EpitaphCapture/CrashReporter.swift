// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// Records how this process dies.
///
///     let reporter = try CrashReporter(
///         databasePath: "/var/lib/myd/crashes", bundleID: "com.example.myd",
///         annotations: ["ver": "1.4"])
///
/// What it records becomes reports by `processIntermediateDumps` of the next launch, where the
/// program imports Epitaph, or by `dump-convert process`, which is all that a program needs that
/// imports EpitaphCapture alone.
///
/// What reads or writes the database blocks in ordinary functions; in a task, forms of the same
/// names work on a thread of their own, for Swift's tasks share few threads.
///
/// One per process; the handlers stay until `stop()`, whatever becomes of the value.
public struct CrashReporter: Sendable {
    /// The directory reports live in.
    public let databasePath: String
    /// The name of the program in file names.
    public let bundleID: String
    package let options: CrashReporterOptions

    /// Arms a dump file and installs the signal handlers. Call it early, before the program makes
    /// threads.
    ///
    /// - Parameters:
    ///   - databasePath: made with mode 0700 if it is missing; its parent must exist.
    ///   - bundleID: 1 to 200 of the characters A-Z a-z 0-9 . _ -, not starting with a dot.
    ///   - annotations: names and values every report carries. `prod` and `ver` name product and
    ///     version to collectors.
    ///   - options: how crashes are captured and how reports are made.
    /// - Throws: `StartError`. The program can run on; its crashes will go unrecorded.
    public init(
        databasePath: String, bundleID: String, annotations: [String: String] = [:],
        options: CrashReporterOptions = CrashReporterOptions()
    ) throws(StartError) {
        self.databasePath = databasePath
        self.bundleID = bundleID
        self.options = options
        try options.start(
            databasePath: databasePath, bundleID: bundleID, annotations: annotations)
    }

    /// Sets an annotation of the report this process may leave. From any thread; a crash at any
    /// moment sees the old or the new value.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - value: at most 20,480 bytes; longer ones are cut.
    public func setAnnotation(_ name: String, to value: String) throws(AnnotationError) {
        try AnnotationError.check(epitaph_annotation_set(name, value), name)
    }

    /// Removes an annotation; one that is not there is no error.
    public func removeAnnotation(_ name: String) throws(AnnotationError) {
        try AnnotationError.check(epitaph_annotation_remove(name), name)
    }

    /// Puts the earlier signal handlers back and marks the armed dump file, so that the next launch
    /// can tell that this one ended well. Returning from main and exit(3) mark it too.
    public func stop() {
        epitaph_stop()
    }
}

/// An annotation that could not be set.
public enum AnnotationError: Error, Equatable, CustomStringConvertible {
    /// The name is empty or longer than 255 bytes.
    case invalidName(String)
    /// All 128 are in use.
    case noRoom
    /// `CrashReporter` was stopped, or never started.
    case notStarted

    static func check(_ status: epitaph_status, _ name: String) throws(AnnotationError) {
        switch status {
        case EPITAPH_OK: return
        case EPITAPH_NO_ROOM: throw .noRoom
        case EPITAPH_NOT_STARTED: throw .notStarted
        default: throw .invalidName(name)
        }
    }

    public var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\": an annotation's name has 1 to 255 bytes"
        case .noRoom: "all annotations are in use: remove one first"
        case .notStarted: "Epitaph has not been started"
        }
    }
}
