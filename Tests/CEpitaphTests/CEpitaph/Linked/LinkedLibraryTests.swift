// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The library as an archive and as a shared object, in the orders linkers are given.
@Suite struct LinkedLibraryTests {
    /// What is before the program's object, and what follows it.
    static let orders: [([String], [String])] = [
        ([], ["{archive}", "-lpthread"]),
        (["-Wl,--as-needed"], ["{archive}", "-lpthread"]),
        (["-Wl,--as-needed", "-lpthread", "-lc"], ["{archive}"]),
        (["-Wl,--gc-sections"], ["{archive}"]),
        (["-no-pie"], ["{archive}"]),
        (["-static"], ["{archive}", "-lpthread"]),
        (["-static"], ["-lpthread", "{archive}"]),
        ([], ["-L{folder}", "-l:libepitaph.so", "-Wl,-rpath,{folder}"]),
    ]

    @Test(
        "Threads get alternate stacks while it is started and at no other time, however it is linked",
        arguments: orders)
    func covered(_ before: [String], _ after: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("covered")
        try LinkedLibrary.get().compile("covered", to: program, after, before: before)
        let result = try Subprocess.run([program, directory.path("db")])
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "00 00 00 11 00 11 0\n")
    }

    @Test("Behind a static libc it misses the threads of thrd_create alone")
    func staticLibcFirst() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("covered")
        try LinkedLibrary.get().compile(
            "covered", to: program, ["-Wl,--start-group", "-lc", "{archive}", "-Wl,--end-group"],
            before: ["-static"])
        let result = try Subprocess.run([program, directory.path("db")])
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "00 00 00 10 00 10 0\n")
    }

    @Test("Where libc comes before it no thread is covered, and it knows")
    func notCovered() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("covered")
        try LinkedLibrary.get().compile(
            "covered", to: program,
            ["-lc", "-L{folder}", "-l:libepitaph.so", "-Wl,-rpath,{folder}"])
        let result = try Subprocess.run([program, directory.path("db")])
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "00 00 00 00 00 00 2\n")
    }

    @Test(
        "Unloading the library after its start changes nothing about the end of the process",
        arguments: [
            ("crash", Subprocess.Ending.signalled(SIGSEGV)), ("exit", .exited(5)),
            ("pthread_exit", .exited(0)),
        ])
    func unloaded(_ end: String, _ ending: Subprocess.Ending) throws {
        let directory = try TemporaryDirectory()
        let library = try LinkedLibrary.get()
        try library.compile("unloading", to: directory.path("unloading"), ["-ldl"])
        let result = try Subprocess.run([
            directory.path("unloading"), directory.path("db"), library.shared, end,
        ])
        #expect(result.ending == ending)
        let files = Dummy.files(in: directory.path("db"))
        #expect(files.count == 1)
        #expect(files.first?.hasSuffix(".locked") == (end != "crash"))
    }

    /// Ends by the test crash in C++.
    private func crashInCxx(
        _ flags: [String] = []
    ) throws -> (Subprocess, messages: [CrashMessage]?) {
        let directory = try TemporaryDirectory()
        let program = directory.path("program")
        try InstalledLibrary.run(
            ["c++", "-D_GNU_SOURCE", "-O1", "-g"] + flags + Products.cHeaderOptions
                + [Products.packageRoot + "/Tests/LinkedPrograms/test_crash.cpp"]
                + [try LinkedLibrary.get().archive, "-lpthread", "-o", program])
        let result = try Subprocess.run([program, directory.path("db")])
        return (result, try Dummy.crashes(in: directory.path("db")).first?.snapshot.messages)
    }

    @Test("The test crash in C++ throws")
    func cxxTestCrash() throws {
        let (result, messages) = try crashInCxx()
        #expect(result.ending == .signalled(SIGABRT), "\(result.standardOutput)")
        #expect(messages?.map(\.source) == ["c++"])
        #expect(messages?.first?.text == "std::runtime_error: a test crash of Epitaph")
    }

    @Test(
        "A fully static program is told that it cannot, and goes on",
        arguments: [["-static"], ["-static-pie", "-fPIE"]])
    func staticCxxTestCrash(flags: [String]) throws {
        let (result, messages) = try crashInCxx(flags)
        #expect(result.ending == .exited(1) && messages == nil)
        #expect(result.standardOutput.hasPrefix("this process cannot end so: it is fully static"))
    }

    @Test("A library that another was loaded in place of has the build id of the other")
    func replaced() throws {
        let directory = try TemporaryDirectory()
        try LinkedLibrary.get().compile(
            "replaced_library", to: directory.path("program"), ["{archive}", "-ldl"])
        try "int plugin(void) { return 1; }".write(
            toFile: directory.path("plugin.c"), atomically: true, encoding: .utf8)
        for digit in ["1", "2"] {
            let id = String(repeating: digit, count: 40)
            let compiled = try Subprocess.run([
                "gcc", "-shared", "-fPIC", "-Wl,--build-id=0x\(id)", directory.path("plugin.c"),
                "-o", directory.path("plugin\(digit).so"),
            ])
            #expect(compiled.ending == .exited(0), "\(compiled.standardError)")
        }
        let result = try Subprocess.run([
            directory.path("program"), directory.path("db"), directory.path("plugin1.so"),
            directory.path("plugin2.so"),
        ])
        #expect(result.ending == .signalled(SIGSEGV))
        let dump = try #require(Dummy.crashes(in: directory.path("db")).first)
        let plugin = try #require(dump.snapshot.modules.first { $0.name == "plugin1.so" })
        #expect(plugin.buildID.elementsEqual([UInt8](repeating: 0x22, count: 20)))
    }
}
