// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Programs with libepitaph-heap.so before libc, and with the preloaded library that starts it.
@Suite struct HeapSamplingTests {
    private func guest(library: InstalledLibrary? = nil) throws -> PreloadTests.Guest {
        try PreloadTests.Guest(
            name: "sampled", source: "sampled.c", flags: ["-pthread", "-fno-builtin", "-O1"],
            library: library)
    }

    private func run(
        _ guest: PreloadTests.Guest, _ how: String, rate: String, _ settings: [String: String] = [:]
    ) throws -> Subprocess {
        let libraries = guest.library.preload + ":" + guest.library.heap
        let sampling = ["EPITAPH_HEAP_SAMPLING": rate].merging(settings) { $1 }
        return try guest.run([how], preload: libraries, sampling)
    }

    @Test(
        "A program that uses its memory rightly is the same with every allocation sampled",
        arguments: [
            "threads", "many-threads", "forks", "executions", "signals", "sizes", "limited",
            "locked", "filtered", "freed-all",
        ])
    func right(how: String) throws {
        let guest = try guest()
        let sampled = try run(guest, how, rate: "1/1")
        #expect(sampled.ending == .exited(0), "\(sampled.standardOutput)")
        #expect(sampled.standardOutput == "as it should be\n")
        #expect(sampled.standardError.isEmpty)
        #expect(guest.dumps().isEmpty)
    }

    @Test("With some allocations sampled, blocks move into the pool and out of it")
    func some() throws {
        let sampled = try run(guest(), "threads", rate: "1/7")
        #expect(sampled.standardOutput == "as it should be\n")
    }

    @Test(
        "A wrong use ends the program, and its dump has the block",
        arguments: [
            ("freed", Subprocess.Ending.signalled(SIGSEGV), HeapError.fault, 16),
            ("called", .signalled(SIGSEGV), .fault, 16),
            ("twice", .signalled(SIGABRT), .doubleFree, 0),
            ("inside", .signalled(SIGABRT), .invalidFree, 16),
        ])
    func wrong(
        how: String, ending: Subprocess.Ending, error: HeapError, offset: UInt64
    ) throws {
        let guest = try guest()
        #expect(try run(guest, how, rate: "1/1").ending == ending)
        let sampling = try #require(guest.snapshot().heap)
        #expect(sampling.rate == 1 && sampling.sampledCount ?? 0 > 0)
        #expect(sampling.error == error)
        let block = try #require(sampling.blocks.first)
        #expect(block.size == 64 && block.address + offset == sampling.errorAddress)
        #expect(try block.allocated?.threadID == guest.snapshot().exception?.threadID)
        #expect((block.freed != nil) == (how != "inside"))
    }

    @Test("Threads that allocate more than may be sampled are the same")
    func hurried() throws {
        let guest = try guest()
        let sampled = try run(guest, "hurried", rate: "1/1000")
        #expect(sampled.ending == .exited(0) && sampled.standardOutput == "as it should be\n")
        #expect(sampled.standardError.isEmpty && guest.dumps().isEmpty)
    }

    @Test("Then a thousand a second are sampled, and each is inaccessible once it is freed")
    func hurriedFreed() throws {
        let guest = try guest()
        let began = ContinuousClock.now
        let sampled = try run(guest, "hurried-freed", rate: "1/1000")
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        #expect(sampled.ending == .signalled(SIGSEGV))
        let sampling = try #require(guest.snapshot().heap)
        // 64 more in the beginning, and a step of the clock.
        let count = try #require(sampling.sampledCount)
        #expect(count > 64 && Double(count) < 64 + milliseconds + 10)
        let block = try #require(sampling.blocks.first)
        #expect(block.size == 64 && block.address + 16 == sampling.errorAddress)
        #expect(block.state == .freed && block.freed != nil)
    }

    @Test("A thread that has ended has its name where it allocated")
    func nameOfAnother() throws {
        let guest = try guest()
        let sampled = try run(guest, "freed-of-another", rate: "1/1")
        #expect(sampled.ending == .signalled(SIGSEGV))
        let block = try #require(guest.snapshot().heap?.blocks.first)
        #expect(block.allocated?.threadName == "maker" && block.freed?.threadName == "sampled")
    }

    @Test("A write beside a block is found when the block is freed, and the program goes on")
    func beside() throws {
        let guest = try guest()
        let sampled = try run(guest, "beside", rate: "1/1")
        #expect(sampled.ending == .exited(0) && sampled.standardError.isEmpty)
        // A repeated error is told a few times.
        #expect(guest.dumps().count == 8)
        let sampling = try #require(guest.snapshot().heap)
        #expect(sampling.error == .overwritten && sampling.errorBytes.first == 7)
        let block = try #require(sampling.blocks.first)
        #expect(sampling.errorAddress == block.address + 41)
    }

    @Test("The same ends the program if that was chosen")
    func besideEnds() throws {
        let guest = try guest()
        let sampled = try run(
            guest, "beside", rate: "1/1", ["EPITAPH_HEAP_OVERWRITES_END": "yes"])
        #expect(sampled.ending == .signalled(SIGABRT))
        #expect(try guest.snapshot().heap?.error == .overwritten)
    }

    @Test("Without the library that samples, a line says so, and crashes are reported")
    func missing() throws {
        let guest = try guest()
        let alone = try guest.run(["sizes"], ["EPITAPH_HEAP_SAMPLING": "1/100"])
        #expect(alone.ending == .exited(0))
        #expect(
            alone.standardError
                == "epitaph: no allocation is watched: heap_sampling: libepitaph-heap is not in "
                + "this process, or is of another version\n")
    }

    private static let fixed = ["-fno-pie", "-no-pie"]
    private static let ownAllocator = Products.packageRoot + "/Tests/LinkedPrograms/own_malloc.c"

    /// A program at a fixed address, and for all of its process the allocator's functions are its
    /// own entries.
    private func entryGuest(
        _ flags: [String] = [], library: InstalledLibrary? = nil
    ) throws -> PreloadTests.Guest {
        try PreloadTests.Guest(
            name: "taken", source: "taken_addresses.c",
            flags: Self.fixed + ["-fno-builtin"] + flags, library: library)
    }

    private func expectWatched(_ guest: PreloadTests.Guest, preload: [String] = []) throws {
        let libraries = [guest.library.preload, guest.library.heap] + preload
        let sampled = try guest.run(
            ["beside"], preload: libraries.joined(separator: ":"), ["EPITAPH_HEAP_SAMPLING": "1/1"])
        #expect(sampled.ending == .exited(0))
        #expect(sampled.standardOutput == "8 entries, all right\n")
        #expect(sampled.standardError.isEmpty)
        let sampling = try #require(guest.snapshot().heap)
        #expect(sampling.error == .overwritten && sampling.blocks.first?.size == 40)
        // Eight blocks of each of twelve sizes, of which a few are large.
        #expect(sampling.sampledCount ?? 0 > 80)
    }

    @Test(
        "A program whose own entries are the addresses of malloc and free is watched",
        arguments: ["gnu", "sysv", "both"])
    func ownEntries(tables: String) throws {
        let guest = try entryGuest(["-Wl,--hash-style=" + tables])
        try expectWatched(guest)
        #expect(try run(guest, "freed", rate: "1/1").ending == .signalled(SIGSEGV))
    }

    @Test(
        "With musl it is watched too",
        .enabled(if: InstalledLibrary.hasMusl, "musl-gcc is missing"))
    func ownEntriesMusl() throws {
        try expectWatched(entryGuest(library: InstalledLibrary.musl.get()))
    }

    private func expectRefused(_ guest: PreloadTests.Guest, before: [String] = []) throws {
        let libraries = before + [guest.library.preload, guest.library.heap]
        let sampled = try guest.run(
            ["beside"], preload: libraries.joined(separator: ":"), ["EPITAPH_HEAP_SAMPLING": "1/1"])
        #expect(sampled.ending == .exited(0))
        #expect(
            sampled.standardError
                == "epitaph: no allocation is watched: heap_sampling: another library's malloc "
                + "comes before that of libepitaph-heap\n")
        #expect(guest.dumps().isEmpty)
    }

    @Test("A program with an allocator of its own keeps it, and a line says so")
    func ownAllocator() throws {
        for flags in [[], Self.fixed] {
            try expectRefused(
                PreloadTests.Guest(
                    name: "own-malloc", source: "own_malloc.c", flags: ["-pthread"] + flags))
        }
        try expectRefused(entryGuest([Self.ownAllocator]))
    }

    @Test(
        "So it is where another allocator comes before, and behind it the program is watched",
        arguments: ["-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "versioned"])
    func allocatorBefore(how: String) throws {
        let guest = try entryGuest()
        let other = guest.directory.path("other.so")
        let versions = guest.directory.path("versions")
        try "OTHER_1 { malloc; free; calloc; realloc; };\n".write(
            toFile: versions, atomically: true, encoding: .utf8)
        try InstalledLibrary.run(
            guest.library.compiler + [
                "-shared", "-fPIC", Self.ownAllocator, "-o", other,
                how == "versioned" ? "-Wl,--version-script=" + versions : how,
            ])
        try expectRefused(guest, before: [other])
        try expectWatched(guest, preload: [other])
    }

    /// A name without a folder if it is not installed.
    private static let jemalloc =
        (try? Subprocess.run(["gcc", "-print-file-name=libjemalloc.so.2"]))?.standardOutput
        .trimmingCharacters(in: .newlines) ?? ""

    @Test(
        "Before another allocator that is loaded as a library, it is the same",
        .enabled(
            if: FileManager.default.fileExists(atPath: jemalloc), "libjemalloc2 is missing"))
    func otherAllocator() throws {
        let guest = try guest()
        let libraries = [guest.library.preload, guest.library.heap, Self.jemalloc]
        for (how, ending) in [
            ("forks", Subprocess.Ending.exited(0)), ("freed", .signalled(SIGSEGV)),
        ] {
            let sampled = try guest.run(
                [how], preload: libraries.joined(separator: ":"), ["EPITAPH_HEAP_SAMPLING": "1/1"])
            #expect(sampled.ending == ending && sampled.standardError.isEmpty)
        }
        #expect(try guest.snapshot().heap?.blocks.first?.size == 64)
    }

    @Test("Built with AddressSanitizer nothing is sampled, and that finds what it finds")
    func sanitized() throws {
        let directory = try TemporaryDirectory()
        let library = try InstalledLibrary.glibc.get()
        let capture = Products.packageRoot + "/Sources/Capture/"
        let sources = try FileManager.default.contentsOfDirectory(atPath: capture + "CEpitaphHeap")
            .filter { $0.hasSuffix(".c") }.map { capture + "CEpitaphHeap/" + $0 }
        func build(_ name: String, _ more: [String] = []) throws -> String {
            try InstalledLibrary.run(
                [
                    "clang", "-fsanitize=address", "-g", "-std=gnu17", "-D_GNU_SOURCE",
                    "-fno-builtin", "-pthread",
                    Products.packageRoot + "/Tests/LinkedPrograms/\(name).c",
                    "-o", directory.path(name), "-I\(library.prefix)/include",
                ]
                    + ["CEpitaphFormat/include", "CEpitaphHeap", "CEpitaphHeap/include"].map {
                        "-I" + capture + $0
                    } + sources + more)
            return directory.path(name)
        }
        let sampling = try Subprocess.run([
            build("sampling", [library.prefix + "/lib/libepitaph.a"]), directory.path("db"),
        ])
        #expect(sampling.ending == .exited(1))
        #expect(
            sampling.standardError == "heap_sampling: a sanitizer watches all allocations here\n")
        let wrong = try Subprocess.run([build("sampled"), "freed"])
        #expect(wrong.standardError.contains("AddressSanitizer: heap-use-after-free"))
    }

    @Test("A library that calls libc's own free(3) is given no sampled block")
    func deepBinding() throws {
        let guest = try PreloadTests.Guest(
            name: "deepbound", source: "deepbound.c", flags: ["-fno-builtin"])
        let library = guest.directory.path("deepbound.so")
        try InstalledLibrary.run(
            guest.library.compiler + [
                "-shared", "-fPIC", "-D_GNU_SOURCE", "-fno-builtin",
                Products.packageRoot + "/Tests/LinkedPrograms/deepbound.c", "-o", library,
            ])
        let sampled = try run(guest, library, rate: "1/1")
        #expect(sampled.ending == .exited(0), "\(sampled.standardError)")
        #expect(sampled.standardOutput == "before: 1, after: 0\n")
        #expect(sampled.standardError.isEmpty && guest.dumps().isEmpty)
    }

    @Test("A program that links both archives samples its own and its libraries' allocations")
    func archives() throws {
        let directory = try TemporaryDirectory()
        let library = try InstalledLibrary.glibc.get()
        let archives = ["heap", ""].map { name in
            library.prefix + "/lib/libepitaph" + (name.isEmpty ? "" : "-" + name) + ".a"
        }
        try InstalledLibrary.run(
            library.compiler + [
                "-g", Products.packageRoot + "/Tests/LinkedPrograms/sampling.c", "-o",
                directory.path("sampling"), "-I\(library.prefix)/include", "-pthread",
            ] + archives)
        let result = try Subprocess.run([directory.path("sampling"), directory.path("db")])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput == "sampled\n")
    }

    private func expectStaticRefused(_ library: InstalledLibrary, _ ways: [[String]]) throws {
        for way in ways {
            let directory = try TemporaryDirectory()
            try InstalledLibrary.run(
                library.compiler + way + [
                    Products.packageRoot + "/Tests/LinkedPrograms/sampling.c", "-o",
                    directory.path("sampling"), "-I\(library.prefix)/include", "-pthread",
                    library.prefix + "/lib/libepitaph-heap.a", library.prefix + "/lib/libepitaph.a",
                ])
            let result = try Subprocess.run([directory.path("sampling"), directory.path("db")])
            #expect(result.ending == .signalled(SIGABRT))
            #expect(
                result.standardError == "libepitaph-heap: a static program has no other malloc: "
                    + "link libepitaph-heap-static\n")
        }
    }

    @Test("A static program, which has no allocator below, ends at its start and says why")
    func staticPrograms() throws {
        try expectStaticRefused(
            InstalledLibrary.glibc.get(), [["-static"], ["-static-pie", "-fPIE"]])
    }

    @Test(
        "So does one with musl",
        .enabled(if: InstalledLibrary.hasMusl, "musl-gcc is missing"))
    func staticMuslPrograms() throws {
        // Debian's musl-gcc links -static-pie dynamically.
        try expectStaticRefused(InstalledLibrary.musl.get(), [["-static"]])
    }

    @Test("Programs that this one executes have neither library")
    func executed() throws {
        let guest = try PreloadTests.Guest()
        let seen = try run(guest, "environment", rate: "1/1").standardOutput
        #expect(!seen.contains("LD_PRELOAD") && !seen.contains("EPITAPH"))
    }

    @Test(
        "With musl it is the same",
        .enabled(if: InstalledLibrary.hasMusl, "musl-gcc is missing"))
    func musl() throws {
        let guest = try guest(library: InstalledLibrary.musl.get())
        #expect(try run(guest, "threads", rate: "1/1").standardOutput == "as it should be\n")
        #expect(try run(guest, "freed", rate: "1/1").ending == .signalled(SIGSEGV))
        #expect(try guest.snapshot().heap?.error == .fault)
    }

    /// The chance of being sampled is the same for each allocation, so the distances have a mean of
    /// N and a standard deviation of nearly N.
    @Test("One of N allocations is sampled")
    func rate() throws {
        let guest = try guest()
        _ = try run(guest, "count", rate: "1/50", ["EPITAPH_HEAP_BLOCKS": "1024"])
        let sampling = try #require(guest.snapshot().heap)
        // 1,000,000 allocations one after the other: 20,000 with a standard deviation of 140.
        #expect(abs(Int(sampling.sampledCount ?? 0) - 20_000) < 1_000)
    }
}
