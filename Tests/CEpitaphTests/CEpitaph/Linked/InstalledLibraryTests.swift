// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// Programs that use Epitaph as `Scripts/install` installs it.
@Suite struct InstalledLibraryTests {
    typealias Way = InstalledLibrary.Way

    static let shared = ["-L{prefix}/lib", "-lepitaph", "-Wl,-rpath,{prefix}/lib"]
    static let archive = "{prefix}/lib/libepitaph.a"
    static let ways =
        [
            Way(testDescription: "shared library", flags: shared),
            Way(testDescription: "archive", flags: [archive]),
            Way(testDescription: "archive, all static", flags: ["-static", archive]),
            Way(
                testDescription: "archive, static and relocatable",
                flags: ["-static-pie", "-fPIE", archive]),
        ]
        + (InstalledLibrary.hasMusl
            ? [
                Way(testDescription: "musl, shared library", flags: shared, usesMusl: true),
                Way(testDescription: "musl, archive", flags: [archive], usesMusl: true),
                Way(
                    testDescription: "musl, archive, all static", flags: ["-static", archive],
                    usesMusl: true),
            ] : [])

    private func dump(_ database: String) throws -> Data {
        let name = try #require(Dummy.files(in: database).first { !$0.hasSuffix(".locked") })
        let path = database + "/pending-dumps/" + name
        return try #require(FileManager.default.contents(atPath: path))
    }

    private func snapshot(_ database: String) throws -> ProcessSnapshot {
        try IntermediateDump(ByteSlice(Array(dump(database)))).snapshot
    }

    @Test("Its deaths are recorded, those of threads without stack left included", arguments: ways)
    func deaths(way: Way) throws {
        let directory = try TemporaryDirectory()
        try way.compile(to: directory.path("dying"))
        for (kind, signal, threads) in [
            ("abort", SIGABRT, 1), ("overflow", SIGSEGV, 1), ("overflow-thread", SIGSEGV, 2),
            ("overflow-thrd", SIGSEGV, 2), ("threads", SIGSEGV, 9),
        ] {
            let database = directory.path(kind)
            let secret = "hunter2hunter2hunter2"
            let result = try Subprocess.run(
                [directory.path("dying"), database, kind], environment: ["MY_TOKEN": secret])
            #expect(result.ending == .signalled(signal), "\(kind): \(result.standardError)")
            let snapshot = try snapshot(database)
            #expect(snapshot.damage.isEmpty || kind.hasPrefix("overflow"), "\(snapshot.damage)")
            #expect(try dump(database).range(of: Data(secret.utf8)) == nil)
            #expect(snapshot.exception?.signal == signal)
            #expect(snapshot.threads.count == threads, "\(kind)")
            #expect(snapshot.threads.allSatisfy { $0.completeness == .complete }, "\(kind)")
            #expect(snapshot.annotations.map(\.name).contains("answer"))
            #expect(snapshot.modules.contains { $0.path == directory.path("dying") })
        }
        let ended = try Subprocess.run([directory.path("dying"), directory.path("exit"), "exit"])
        #expect(ended.ending == .exited(5))
    }

    @Test(
        "A program whose file was deleted has its tables, also without a search table",
        arguments: [
            ["-static"], ["-static", "-s"], ["-static-pie", "-fPIE"], ["-Wl,--no-eh-frame-hdr"],
            ["-Wl,--no-eh-frame-hdr", "-no-pie"],
        ])
    func deleted(flags: [String]) throws {
        let stacks = try stacks(of: [], flags, InstalledLibrary.glibc.get())
        for stack in stacks {
            #expect(
                stack.frames.dropFirst().allSatisfy {
                    $0.foundBy == .unwindTable || $0.foundBy == .signalContext
                })
        }
    }

    @Test(
        "A static program with musl, which has no tables, has whole stacks by its code",
        .enabled(if: InstalledLibrary.hasMusl, "musl-gcc is missing"),
        arguments: ["sha1", "none"])
    func staticMusl(buildID: String) throws {
        let flags = ["-static", "-Wl,--build-id=\(buildID)"]
        for stack in try stacks(of: ["keep"], flags, InstalledLibrary.musl.get()) {
            let doubtful: Set<StackFrame.FoundBy> = [.framePointer, .stackScan, .stackGuess]
            #expect(!stack.frames.contains { doubtful.contains($0.foundBy) }, "\(stack.frames)")
        }
    }

    @Test(
        "The text of a failed assertion is known in a static program, too",
        arguments: [["-static"], ["-static-pie", "-fPIE"]])
    func assertion(flags: [String]) throws {
        let guest = try descended(["assert"], flags, InstalledLibrary.glibc.get())
        let message = try guest.snapshot().messages.first { $0.source == "glibc" }
        #expect(message?.text.contains("Assertion `count > DEPTH' failed") == true)
    }

    private func stacks(
        of words: [String], _ flags: [String], _ library: InstalledLibrary
    ) throws -> [Backtrace] {
        let guest = try descended(words, flags, library)
        let snapshot = try guest.snapshot()
        let images = EvidencedImages(InstalledImages(), for: snapshot)
        let unwinder = StackUnwinder(snapshot: snapshot, images: images)
        let stacks = snapshot.threads.compactMap { thread in
            thread.id == snapshot.exception?.threadID
                ? unwinder.unwindException() : unwinder.unwind(thread)
        }
        #expect(stacks.count == 2 && stacks.allSatisfy { $0.end == .reachedEnd }, "\(stacks)")
        // abort() and what it calls, four of descend(), main() and what calls it.
        #expect(stacks.contains { $0.frames.count > 8 })
        // Its files are read until here.
        return withExtendedLifetime(guest) { stacks }
    }

    /// Of descending.c, whose dump has to lack nothing.
    private func descended(
        _ words: [String], _ flags: [String], _ library: InstalledLibrary
    ) throws -> PreloadTests.Guest {
        let guest = try PreloadTests.Guest(
            name: "descending", source: "descending.c",
            flags: flags + [
                "-O1", "-pthread", Products.packageRoot + "/Tests/LinkedPrograms/started.c",
                "-I\(library.prefix)/include", library.prefix + "/lib/libepitaph.a",
            ], library: library)
        #expect(try guest.run(words, preload: "").ending == .signalled(SIGABRT))
        #expect(try guest.snapshot().damage.isEmpty)
        return guest
    }

    @Test("Threads that another library makes are covered, whichever form is linked")
    func otherLibraries() throws {
        let directory = try TemporaryDirectory()
        let library = directory.path("libmaker.so")
        let source = Products.packageRoot + "/Tests/LinkedPrograms/maker.c"
        try InstalledLibrary.run(["cc", "-shared", "-fPIC", source, "-o", library])
        for flags in [Self.shared, [Self.archive]] {
            // Its only reference is a weak one, for which linkers drop a library.
            let linked = [
                "-Wl,--no-as-needed", library, "-Wl,-rpath," + directory.path(""),
            ]
            let way = Way(testDescription: "", flags: flags + linked)
            let program = directory.path("dying")
            try way.compile(to: program)
            let database = try TemporaryDirectory()
            let result = try Subprocess.run([program, database.path("db"), "overflow-library"])
            #expect(result.ending == .signalled(SIGSEGV))
            #expect(try snapshot(database.path("db")).threads.count == 2)
        }
    }

    @Test("Its names are the public functions and those that it has to stand in for, no others")
    func names() throws {
        let library = try InstalledLibrary.glibc.get()
        let headers = try FileManager.default.contentsOfDirectory(
            atPath: library.prefix + "/include")
        let text = try headers.map {
            try String(contentsOfFile: library.prefix + "/include/" + $0, encoding: .utf8)
        }.joined()
        let declared = Set(
            text.split(separator: "\n").filter { $0.first?.isLetter == true }.flatMap {
                $0.matches(of: /(epitaph_[a-z0-9_]+)\(/).prefix(1).map { String($0.1) }
            }
        ).subtracting([
            "epitaph_options_default", "epitaph_hang_options_default",
            "epitaph_live_request_default",
        ])
        let interposed: Set<String> = [
            "pthread_create", "thrd_create", "sigaction", "signal", "bsd_signal", "ssignal",
            "sysv_signal", "__sysv_signal", "siginterrupt", "sigignore", "sigset", "sigaltstack",
            "dlclose",
        ]
        let rights: Set<String> = [
            "setuid", "seteuid", "setreuid", "setresuid", "chroot", "capset", "syscall", "prctl",
        ]
        let shared = try InstalledLibrary.run([
            "nm", "-D", "--defined-only", "--format=just-symbols",
            library.prefix + "/lib/libepitaph.so",
        ]).split(separator: "\n").map(String.init)
        let versioned = shared.filter { $0.hasSuffix("@@EPITAPH_1") }
        #expect(Set(versioned.map { String($0.dropLast("@@EPITAPH_1".count)) }) == declared)
        // With a version they would not take the place of libc's.
        #expect(
            Set(shared).subtracting(versioned) == interposed.union(rights).union(["EPITAPH_1"]))
        let archive = try InstalledLibrary.run([
            "nm", "-g", "--defined-only", "--format=just-symbols",
            library.prefix + "/lib/libepitaph.a",
        ]).split(separator: "\n").map(String.init).filter { !$0.hasSuffix(":") }
        #expect(Set(archive) == declared.union(interposed))
    }

    static let languages =
        ["c11", "c17"].map { ("c", $0) }
        + ["c++11", "c++14", "c++17", "c++20", "c++2b"].map { ("c++", $0) }

    @Test("Headers and initialisers compile without a warning", arguments: languages)
    func warnings(language: String, standard: String) throws {
        let library = try InstalledLibrary.glibc.get()
        let directory = try TemporaryDirectory()
        let source = """
            #include <epitaph.h>
            int main(void) {
                epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
                epitaph_hang_options hangs = EPITAPH_HANG_OPTIONS_DEFAULT;
                epitaph_live_request request = EPITAPH_LIVE_REQUEST_DEFAULT;
                options.database_path = "/tmp";
                return options.breadcrumb_limit != 64 || request.size_bytes == hangs.size_bytes;
            }
            """
        let path = try directory.write(Array(source.utf8), to: "main." + language)
        for compiler in ["gcc", "clang"] {
            let result = try Subprocess.run([
                compiler, "-x", language, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic",
                "-Wno-missing-field-initializers", "-Werror", "-fsyntax-only",
                "-I\(library.prefix)/include", path,
            ])
            #expect(result.ending == .exited(0), "\(compiler): \(result.standardError)")
        }
    }

    @Test("The version is the same as text, as a number, to programs and to pkg-config")
    func version() throws {
        let library = try InstalledLibrary.glibc.get()
        let directory = try TemporaryDirectory()
        try Self.ways[0].compile(to: directory.path("dying"))
        let printed = try InstalledLibrary.run([
            directory.path("dying"), directory.path("db"), "version",
        ])
        let numbers = printed.split { !$0.isNumber }.compactMap { Int($0) }
        try #require(numbers.count == 3)
        let number = numbers[0] * 10_000 + numbers[1] * 100 + numbers[2]
        let header = try String(
            contentsOfFile: library.prefix + "/include/epitaph_version.h", encoding: .utf8)
        #expect(header.contains("#define EPITAPH_VERSION_NUMBER \(number)\n"))
        let environment = ["PKG_CONFIG_PATH": library.prefix + "/lib/pkgconfig"]
        #expect(
            try InstalledLibrary.run(
                ["pkg-config", "--modversion", "epitaph"], environment: environment) == printed)
        #expect(
            try InstalledLibrary.run(
                ["pkg-config", "--cflags", "--libs", "epitaph"], environment: environment
            )
            .contains("-L\(library.prefix)/lib -lepitaph"))
    }

    static let hasCMake = Toolchain.executable("cmake") != nil

    @Test(
        "CMake finds it, wherever the tree was moved", .enabled(if: hasCMake, "cmake is missing"))
    func cmake() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: InstalledLibrary.glibc.get().prefix, toPath: directory.path("moved"))
        let project = """
            cmake_minimum_required(VERSION 3.13)
            project(dying C)
            find_package(Epitaph 0.1 REQUIRED)
            foreach(form Epitaph Static)
              add_executable(${form} \(Products.packageRoot)/Tests/LinkedPrograms/dying.c)
              target_link_libraries(${form} Epitaph::${form})
            endforeach()
            add_executable(StaticHeap \(Products.packageRoot)/Tests/LinkedPrograms/sampling.c)
            target_link_libraries(StaticHeap -static Epitaph::StaticHeap)
            """
        try directory.write(Array(project.utf8), to: "CMakeLists.txt")
        try InstalledLibrary.run([
            "cmake", "-S", directory.path(""), "-B", directory.path("build"),
            "-DCMAKE_PREFIX_PATH=" + directory.path("moved"),
        ])
        try InstalledLibrary.run(["cmake", "--build", directory.path("build")])
        for form in ["Epitaph", "Static"] {
            let program = directory.path("build/" + form)
            let result = try Subprocess.run([program, directory.path("db" + form), "abort"])
            #expect(result.ending == .signalled(SIGABRT))
            #expect(try snapshot(directory.path("db" + form)).exception?.signal == SIGABRT)
        }
        let sampled = try Subprocess.run([directory.path("build/StaticHeap"), directory.path("db")])
        #expect(sampled.standardOutput == "sampled\n")
    }

    @Test(
        "What cannot be done is said before anything is written",
        arguments: [
            (["--prefix"], "--prefix needs a value"), (["--prefix", "here"], "here has to be an"),
            (["--colour", "red"], "there is no option --colour"),
            (["--jobs", "many"], "--jobs many is no number"),
        ])
    func refusals(options: [String], words: String) throws {
        let result = try Subprocess.run([InstalledLibrary.script] + options)
        #expect(result.ending == .exited(2))
        #expect(result.standardError.contains("Scripts/install: " + words))
        #expect(result.standardOutput.isEmpty)
        let compiler = try Subprocess.run(
            [InstalledLibrary.script, "--prefix", "/nowhere"], environment: ["CC": "no-such-cc"])
        #expect(compiler.ending == .exited(2))
        #expect(compiler.standardError.contains("there is no no-such-cc"))
    }
}

extension InstalledLibrary.Way {
    /// `{prefix}` in the flags is where the library is.
    fileprivate func compile(to program: String) throws {
        let library = try library()
        let source = Products.packageRoot + "/Tests/LinkedPrograms/dying.c"
        let flags = flags.map {
            $0.replacingOccurrences(of: "{prefix}", with: library.prefix)
        }
        try InstalledLibrary.run(
            library.compiler + ["-g", source, "-o", program, "-I\(library.prefix)/include"]
                + flags)
    }
}
