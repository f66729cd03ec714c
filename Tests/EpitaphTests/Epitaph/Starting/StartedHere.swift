// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation

/// What tests need that start Epitaph in the test process.
final class StartedHere: Sendable {
    let directory: TemporaryDirectory
    let log = Log()

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A configuration that leaves the test process alone: its log is `log`.
    var configuration: Epitaph.Configuration {
        var configuration = Epitaph.Configuration(
            databasePath: directory.path("db"), bundleID: "org.example.start")
        configuration.capture.signals = [.sigusr2]
        configuration.capture.allowsDebugger = true
        // Other tests run on other threads.
        configuration.capture.preparesExistingThreads = false
        configuration.capture.stacksWhenFiled = .nothing
        configuration.heedsEnvironment = false
        configuration.uploads.transport.proxy = .none
        let log = log
        configuration.log = { log.add($0) }
        return configuration
    }

    /// Leaves the dump of an earlier launch's crash.
    ///
    /// - Returns: the id that its report will have.
    @discardableResult
    func leaveDump() throws -> String {
        try FileManager.default.createDirectory(
            atPath: directory.path("db/pending-dumps"), withIntermediateDirectories: true)
        let id = Epitaph.ID().description
        try FileManager.default.copyItem(
            atPath: Products.fixture("intermediate-dumps/sample-x86_64.dump"),
            toPath: directory.path("db/pending-dumps/org.example.start@\(id)"))
        return id
    }

    /// Whether a report waits to be sent, or was sent.
    func has(_ id: String, _ state: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.path("db/\(state)/\(id).dmp"))
    }
}

/// A door that calls wait at until a test opens it, and that a test can wait for to be reached.
final class Door: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let calls = Log()

    func wait() {
        calls.add("")
        opened.wait()
        opened.signal()
    }

    var isReached: Bool { !calls.lines.isEmpty }
    func open() { opened.signal() }
}
