// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// Fully static programs that are linked with libepitaph-heap-static.a, by pkg-config's flags.
@Suite struct StaticHeapSamplingTests {
    typealias Way = InstalledLibrary.Way

    static let plain = Way(testDescription: "static", flags: ["-static"])
    static let musl = Way(testDescription: "musl", flags: ["-static"], usesMusl: true)
    // Debian's musl-gcc links -static-pie dynamically.
    static let ways =
        [plain, Way(testDescription: "static-pie", flags: ["-static-pie", "-fPIE"])]
        + (InstalledLibrary.hasMusl ? [musl] : [])

    private func run(
        _ guest: PreloadTests.Guest, _ how: [String], rate: String = "1/1",
        _ settings: [String: String] = [:]
    ) throws -> Subprocess {
        let sampling = ["EPITAPH_HEAP_SAMPLING": rate].merging(settings) { $1 }
        return try guest.run(how, preload: "", sampling)
    }

    @Test(
        "A program that uses its memory rightly is the same with allocations sampled",
        arguments: ways)
    func right(way: Way) throws {
        let guest = try way.guest("sampled.c")
        for (how, rate) in [
            ("threads", "1/1"), ("many-threads", "1/1"), ("forks", "1/1"), ("executions", "1/1"),
            ("signals", "1/1"), ("sizes", "1/1"), ("limited", "1/1"), ("locked", "1/1"),
            ("threads", "1/3"), ("hurried", "1/1000"),
        ] {
            let sampled = try run(guest, [how], rate: rate)
            #expect(sampled.ending == .exited(0), "\(how): \(sampled.standardOutput)")
            #expect(sampled.standardOutput == "as it should be\n", "\(how)")
            #expect(sampled.standardError.isEmpty && guest.dumps().isEmpty, "\(how)")
        }
    }

    @Test("A wrong use ends the program, and its dump has the block", arguments: ways)
    func wrong(way: Way) throws {
        let made = try way.guest("sampled.c")
        for (how, signal, error, offset) in [
            ("freed", SIGSEGV, HeapError.fault, UInt64(16)), ("called", SIGSEGV, .fault, 16),
            ("twice", SIGABRT, .doubleFree, 0), ("inside", SIGABRT, .invalidFree, 16),
        ] {
            #expect(try run(made, [how]).ending == .signalled(signal))
            let snapshot = try made.snapshot()
            let sampling = try #require(snapshot.heap)
            #expect(sampling.rate == 1 && sampling.error == error, "\(how)")
            let block = try #require(sampling.blocks.first)
            #expect(block.size == 64 && block.address + offset == sampling.errorAddress)
            #expect(block.allocated?.threadID == snapshot.exception?.threadID)
            #expect((block.freed != nil) == (how != "inside"))
            try FileManager.default.removeItem(atPath: made.database)
        }
    }

    @Test("The report names who freed and who allocated the block", arguments: ways)
    func named(way: Way) throws {
        let guest = try way.guest("sampled.c")
        for (how, words) in [
            ("freed", "that drop freed at sampled.c:"), ("twice", "first in drop at sampled.c:"),
        ] {
            _ = try run(guest, [how])
            let explanation = try CrashExplanation(guest.snapshot(), images: InstalledImages())
            let headline = try #require(explanation.diagnosis?.headline)
            #expect(headline.contains(words), "\(headline)")
            #expect(headline.contains("make"), "\(headline)")
            let place = how == "freed" ? "main" : "drop"
            #expect(explanation.signature?.function == place)
            try FileManager.default.removeItem(atPath: guest.database)
        }
    }

    @Test("A write beside a block is found when the block is freed", arguments: ways)
    func beside(way: Way) throws {
        let guest = try way.guest("sampled.c")
        #expect(try run(guest, ["beside"]).ending == .exited(0))
        #expect(guest.dumps().count == 8)
        #expect(try guest.snapshot().heap?.error == .overwritten)
        let ended = try run(guest, ["beside"], ["EPITAPH_HEAP_OVERWRITES_END": "yes"])
        #expect(ended.ending == .signalled(SIGABRT))
    }

    @Test("What libc's own functions allocate is sampled", arguments: ways)
    func ofLibc(way: Way) throws {
        let sampled = try run(way.guest("libc_blocks.c"), [])
        #expect(sampled.standardOutput == "12 of 12\n" && sampled.standardError.isEmpty)
    }

    @Test("So is what C++ allocates", arguments: ways.filter { !$0.usesMusl })
    func ofCxx(way: Way) throws {
        let directory = try TemporaryDirectory()
        let starter = directory.path("started.o")
        let programs = Products.packageRoot + "/Tests/LinkedPrograms/"
        try InstalledLibrary.run(
            ["cc", "-c", programs + "started.c", "-o", starter] + way.flags + way.heapFlags())
        try InstalledLibrary.run(
            ["c++", "-D_GNU_SOURCE", programs + "cxx_blocks.cpp", starter]
                + ["-o", directory.path("blocks")] + way.flags + way.heapFlags())
        let sampled = try Subprocess.run(
            [directory.path("blocks")],
            environment: [
                "EPITAPH_DATABASE": directory.path("db"), "EPITAPH_HEAP_SAMPLING": "1/1",
            ])
        #expect(sampled.ending == .exited(0))
        #expect(sampled.standardOutput == "4 of 4, caught\n" && sampled.standardError.isEmpty)
    }

    @Test("Optimised as a whole by the linker, a program is sampled all the same")
    func linkTime() throws {
        let sampled = try run(Self.plain.guest("libc_blocks.c", ["-flto", "-O2"]), [])
        #expect(sampled.standardOutput == "12 of 12\n" && sampled.standardError.isEmpty)
    }

    @Test("With the first library that a static program loads, sampling ends")
    func loaded() throws {
        let directory = try TemporaryDirectory()
        let library = directory.path("library.so")
        try InstalledLibrary.run(
            ["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", library])
        // glibc warns that such a program needs the same glibc where it runs.
        let guest = try Self.plain.guest("libc_blocks.c", ["-DLOADS", "-w"])
        #expect(try run(guest, []).standardOutput == "12 of 12\n")
        let loaded = try run(guest, [library]).standardOutput
        #expect(loaded.hasPrefix("malloc was not sampled\n") && loaded.hasSuffix("0 of 12\n"))
    }

    private func expectRefused(_ guest: PreloadTests.Guest, _ why: String) throws {
        let refused = try run(guest, [])
        #expect(refused.ending == .exited(0))
        #expect(refused.standardError == "heap_sampling: \(why)\n")
        #expect(refused.standardOutput.hasSuffix("0 of 12\n"))
    }

    @Test("A program with shared libraries is told that it has the wrong archive")
    func notStatic() throws {
        let flags = try Self.plain.heapFlags()
        let prefix = try Self.plain.library().prefix
        let way = Way(testDescription: "", flags: [])
        try expectRefused(
            way.guest("libc_blocks.c", heapFlags: flags + ["-Wl,-rpath,\(prefix)/lib"]),
            "libepitaph-heap-static is for fully static programs, and libepitaph-heap for the others"
        )
    }

    @Test("A program that wraps not all functions is told so")
    func notWrapped() throws {
        let flags = try Self.plain.heapFlags().map {
            $0.replacingOccurrences(of: ",--wrap=reallocarray", with: "")
        }
        try expectRefused(
            Self.plain.guest("libc_blocks.c", heapFlags: flags),
            "libepitaph-heap-static needs all flags that pkg-config has for it")
    }

    @Test(
        "A program with an allocator of its own keeps it",
        .enabled(if: InstalledLibrary.hasMusl, "musl-gcc is missing"))
    func ownAllocator() throws {
        // Of glibc's allocator a program replaces all functions or none.
        let refused = try run(Self.musl.guest("own_malloc.c"), [])
        #expect(refused.ending == .exited(0))
        #expect(
            refused.standardError
                == "heap_sampling: another library's malloc comes before that of libepitaph-heap\n")
    }
}

extension InstalledLibrary.Way {
    fileprivate func heapFlags() throws -> [String] {
        try InstalledLibrary.run(
            ["pkg-config", "--cflags", "--libs", "epitaph-heap-static"],
            environment: ["PKG_CONFIG_PATH": library().prefix + "/lib/pkgconfig"]
        ).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    fileprivate func guest(
        _ source: String, _ more: [String] = [], heapFlags: [String]? = nil
    ) throws -> PreloadTests.Guest {
        try PreloadTests.Guest(
            name: "started", source: source,
            flags: flags + [
                // musl-gcc writes none, and debug information is found by it.
                "-Wl,--build-id", "-pthread", "-fno-builtin", "-O1",
                Products.packageRoot + "/Tests/LinkedPrograms/started.c",
            ] + more + (heapFlags ?? self.heapFlags()), library: library())
    }
}
