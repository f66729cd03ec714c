// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

/// A directory of logs, a server that answers what a test wants, and clocks that a test sets.
final class LogLab {
    let parent: TemporaryDirectory
    let path: String
    let clock = TestClock()
    let server = PlayedServer()
    let delegate = Recorder()
    var options = LogUploadOptions()

    init() throws {
        parent = try TemporaryDirectory()
        path = parent.path("logs")
        try Directory.make(path)
    }

    /// What a process that starts now works with.
    func pass(to template: RequestTemplate? = nil) throws -> LogUploadPass {
        var plain = try RequestTemplate(.post, url: "http://logs.example.org/{uuid}/{file}")
        plain.compression = .none
        return LogUploadPass(
            through: path, to: TemplateDestination(template ?? plain), by: server,
            options: options, clock: clock, delegate: delegate)
    }

    /// - Parameter age: in seconds, by the clock of the lab.
    func write(_ text: String, to name: String, age: Double = 3_600) throws {
        try write(Array(text.utf8), to: name, age: age)
    }

    func write(_ bytes: [UInt8], to name: String, age: Double = 3_600) throws {
        try writeLog(bytes, to: path, name)
        try setAge(of: name, age)
    }

    func setAge(of name: String, _ age: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: (clock.now().adding(seconds: -age)).date],
            ofItemAtPath: path + "/" + name)
    }

    func rename(_ name: String, _ newName: String) {
        #expect(Glibc.rename(path + "/" + name, path + "/" + newName) == 0)
    }

    func moveDirectoryAway() {
        #expect(Glibc.rename(path, parent.path("elsewhere")) == 0)
    }

    func bringDirectoryBack() {
        #expect(Glibc.rename(parent.path("elsewhere"), path) == 0)
    }

    func remove(_ name: String) {
        #expect(unlink(path + "/" + name) == 0)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
