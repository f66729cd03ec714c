// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

/// Forked children of a program of root's that links Epitaph: with the shared library they are told
/// before they give up their rights, and make a file only then.
/// docs/decisions/workers-of-another-user.md
@Suite(.enabled(if: getuid() == 0, "only root can become another user"))
struct LinkedWorkerTests {
    enum Form: CaseIterable {
        case shared, archive
        /// The shared library behind one that the program loads: libc's functions come first.
        case loaded

        /// Whether a child makes a file before it is known what it will do.
        var makesFileAtOnce: Bool { self != .shared }
    }

    /// The programs of all forms, made once.
    private static let folder = Result {
        let folder = Products.directory + "/LinkedWorkers.build"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for form in Form.allCases { try compile(form, in: folder) }
        return folder
    }

    private static func compile(_ form: Form, in folder: String) throws {
        let library = try InstalledLibrary.glibc.get()
        let sources = Products.packageRoot + "/Tests/LinkedPrograms/"
        let (program, start) = (sources + "unchanged.c", sources + "early_start.c")
        let compiler = library.compiler + ["-D_GNU_SOURCE", "-g", "-I\(library.prefix)/include"]
        let shared = [
            "-L\(library.prefix)/lib", "-lepitaph", "-Wl,-rpath,\(library.prefix)/lib",
        ]
        let archive = [library.prefix + "/lib/libepitaph.a", "-pthread"]
        let output = ["-o", "\(folder)/\(form)"]
        switch form {
        case .shared: try InstalledLibrary.run(compiler + [program, start] + shared + output)
        case .archive: try InstalledLibrary.run(compiler + [program, start] + archive + output)
        case .loaded:
            try InstalledLibrary.run(
                compiler + ["-shared", "-fPIC", start] + shared + ["-o", folder + "/plugin.so"])
            try InstalledLibrary.run(compiler + ["-DLOADS", program, start] + output)
        }
    }

    private func run(_ form: Form, _ arguments: [String], database: String) throws -> Subprocess {
        let folder = try Self.folder.get()
        return try Subprocess.run(
            ["\(folder)/\(form)"] + arguments,
            environment: ["DATABASE": database, "PLUGIN": folder + "/plugin.so"])
    }

    @Test(
        "A worker of another user leaves a report, however it gave up its rights",
        arguments: Form.allCases, ["setuid", "setreuid", "seteuid", "lent", "call", "chroot"])
    func workers(form: Form, way: String) throws {
        // It installs a handler, which without our sigaction(2) takes ours' place.
        if form == .loaded && way == "lent" { return }
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        #expect(try run(form, ["worker", way], database: database).ending == .exited(SIGSEGV))
        let summary = try DumpSweep(ReportDatabase(opening: database, ifMissing: .create)).run()
        #expect(summary.reportIDs.count == 1 && summary.problems.isEmpty)
        #expect(Dummy.files(in: database).isEmpty)
    }

    @Test(
        "A child that keeps its rights makes no file if it would be told before it loses them",
        arguments: Form.allCases)
    func children(form: Form) throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        #expect(try run(form, ["children"], database: database).ending == .exited(0))
        // The program's own, and that of its last child.
        #expect(Dummy.files(in: database).count == (form.makesFileAtOnce ? 2 : 1))
    }
}
