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

    /// The dumps of crashes: the sealed ones, and those locked ones whose process ended while a
    /// handler of its own had the signal.
    static func crashes(in database: String) throws -> [IntermediateDump] {
        try files(in: database).compactMap { name in
            let path = database + "/pending-dumps/" + name
            guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
            let dump = try IntermediateDump(ByteSlice(Array(bytes)))
            guard case .crash = dump.contents else { return nil }
            return dump
        }
    }

    var crashes: [IntermediateDump] {
        get throws { try Self.crashes(in: directory.path("db")) }
    }

    /// Without the locked files of forked children, which a dummy of root's hands out.
    var filesOfLaunches: [String] {
        files.filter { !$0.hasSuffix(".locked") || DumpName($0)?.isHandedOut != true }
    }

    /// The one dump the run left, sealed if any is; an error when there is none or more.
    func dump() throws -> IntermediateDump {
        let dumps = sealed.isEmpty ? try crashes : try sealed.map { try IntermediateDump($0) }
        guard let dump = dumps.first, dumps.count == 1 else {
            throw WrongCount(files: files, standardError: result.standardError)
        }
        return dump
    }

    func snapshot() throws -> ProcessSnapshot {
        try dump().snapshot
    }

    struct WrongCount: Error {
        let files: [String]
        let standardError: String
    }
}
