// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// One run of a victim in a database of its own.
struct Dummy {
    let result: Subprocess
    /// Names in pending-dumps, sorted.
    let files: [String]
    /// The contents of the files without `.locked`.
    let sealed: [ByteSlice]
    let directory: TemporaryDirectory

    /// - Parameters:
    ///   - command: what to run instead of the victim itself, such as a copy of it.
    ///   - prefix: a program to run it with, such as strace or an emulator.
    init(
        _ way: String, threads: Int = 0, _ settings: [String] = [], victim: Victim = .c,
        command: [String]? = nil, prefix: [String] = [], environment: [String: String] = [:],
        deadlineSeconds: Double = 60
    ) throws {
        directory = try TemporaryDirectory()
        var arguments = prefix + (command ?? victim.command) + [directory.path("db"), way]
        if victim == .c { arguments.append("\(threads)") }
        arguments += settings
        result = try Subprocess.run(
            arguments, environment: environment, deadlineSeconds: deadlineSeconds)
        files = Self.files(in: directory.path("db"))
        let folder = directory.path("db/pending-dumps")
        sealed = files.filter { !$0.hasSuffix(".locked") }.compactMap {
            FileManager.default.contents(atPath: folder + "/" + $0).map { ByteSlice(Array($0)) }
        }
    }

    static func files(in database: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: database + "/pending-dumps")
        return (names ?? []).sorted()
    }

    /// Without the locked files of forked children, which a dummy of root's hands out.
    var filesOfLaunches: [String] {
        files.filter { !$0.hasSuffix(".locked") || DumpName($0)?.isHandedOut != true }
    }

    /// The one dump the run left; an error when there is none or more.
    func dump() throws -> IntermediateDump {
        guard let bytes = sealed.first, sealed.count == 1 else {
            throw WrongCount(files: files, standardError: result.standardError)
        }
        return try IntermediateDump(bytes)
    }

    func snapshot() throws -> ProcessSnapshot {
        try dump().snapshot
    }

    struct WrongCount: Error {
        let files: [String]
        let standardError: String
    }
}
