// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The programs that die, hang or work on request: CEpitaphVictim, and the subcommands of it and of
/// EpitaphVictim.
package enum Victim: String, Sendable {
    /// CEpitaphVictim without a subcommand.
    case c
    case sealed
    case swift, facade, capture, scope, watch, request, database

    /// What the program is called: in reports, as its module's and as its process's name.
    package var name: String {
        switch self {
        case .c, .sealed: "CEpitaphVictim"
        default: "EpitaphVictim"
        }
    }

    /// The program's file.
    package var path: String { Products.executable(name) }

    /// The program and its subcommand, which come before its own arguments.
    package var command: [String] { self == .c ? [path] : [path, rawValue] }

    /// The folder of its sources.
    package var folder: String {
        let folder = Products.packageRoot + "/Tests/" + name
        switch self {
        case .c, .sealed: return folder
        default: return folder + "/" + rawValue.capitalized
        }
    }

    /// Runs it to its end; see `Subprocess.run`.
    package func run(
        _ arguments: [String], environment: [String: String] = [:], deadlineSeconds: Double = 60
    ) throws -> Subprocess {
        try Subprocess.run(
            command + arguments, environment: environment, deadlineSeconds: deadlineSeconds)
    }

    /// The sources of a program that does nothing but what this subcommand of EpitaphVictim does,
    /// for tests that compile it in ways of their own. Its arguments are those of the subcommand.
    ///
    /// - Parameter directory: where its main file is written to.
    package func standaloneSources(in directory: TemporaryDirectory) throws -> [String] {
        let main = "try \(rawValue.capitalized)Victim.run(CommandLine.arguments)\n"
        let own = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") }.sorted().map { folder + "/" + $0 }
        return [try directory.write(Array(main.utf8), to: "main.swift")] + own
    }
}
