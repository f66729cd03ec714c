// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Breakpad's symbol files and roots of other systems in dump-convert show")
struct SymbolFilesTests {
    let directory: TemporaryDirectory
    let program: String
    let minidump: String
    let image: ELFImage

    init() throws {
        directory = try TemporaryDirectory()
        // Without unwind tables, of which the dump itself would have a copy.
        program = try CrashingProgram.compile(
            ["-O0", "-g0", "-fno-asynchronous-unwind-tables"], in: directory)
        image = try ELFImage(FileBytes.contents(of: program))
        let crash = try DebuggedProgram(running: [program, "recursion"], in: directory)
        minidump = try directory.write(Sample.minidump(crash.snapshot), to: "crash.dmp")
    }

    @Test("name frames and lead to their callers when the program is gone")
    func symbolFile() throws {
        let identifier = BreakpadIdentity(buildID: image.buildID).debugID
        let file = try writeSymbolFile(identifier, to: "symbols/crash/\(identifier)")
        try FileManager.default.removeItem(atPath: program)
        let plain = try show()
        #expect(!plain.contains(#/#0 +touch/#))
        let named = try show("--symbols", directory.path("symbols"))
        #expect(named.contains(#/#0 +touch at \/src\/made\.c:11 in crash\+0x\w+\n/#))
        #expect(named.contains(#/#1 +recursion at \/src\/made\.c:22 in crash\+0x\w+\n/#))
        #expect(named.contains(#/#6 +main at \/src\/made\.c:33 in crash\+0x\w+\n/#))
        #expect(named.contains("\(program) was not found; \(file) was used in its place"))
        // Wherever below the directory it is.
        let moved = directory.path("symbols/other.txt")
        try FileManager.default.moveItem(atPath: file, toPath: moved)
        #expect(try show("--symbols", directory.path("symbols")).contains(#/#0 +touch at/#))
    }

    @Test("are not used for another build, and a sentence says so")
    func otherBuild() throws {
        let other = String(repeating: "0", count: 33)
        let file = try writeSymbolFile(other, to: "symbols/crash/\(other)")
        try FileManager.default.removeItem(atPath: program)
        let text = try show("--symbols", directory.path("symbols"))
        #expect(!text.contains("made.c"))
        #expect(text.contains("\(file) is of another build of crash: its identifier is \(other), "))
    }

    @Test("find the program below a root, whose links do not lead out of it")
    func sysroot() throws {
        let root = directory.path("root")
        // As in a container: the module's directory is reached by an absolute link.
        let parent = String(program.dropLast("/crash".count))
        let files = FileManager.default
        try files.createDirectory(atPath: root + "/data", withIntermediateDirectories: true)
        try files.createDirectory(
            atPath: root + (parent as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: root + parent, withDestinationPath: "/../../data/./")
        try files.moveItem(atPath: program, toPath: root + "/data/crash")
        let text = try show("--sysroot", root)
        #expect(text.contains(#/#0 +touch\+0x\w+ in crash/#))
        #expect(!text.contains("was not found"))
        // A link that would lead to this machine's file, which is of the right build.
        try files.moveItem(atPath: root + "/data/crash", toPath: directory.path("outside"))
        try files.createSymbolicLink(
            atPath: root + "/data/crash", withDestinationPath: directory.path("outside"))
        let without = try show("--sysroot", root)
        #expect(!without.contains(#/#0 +touch/#))
        #expect(without.contains("was not found"))
        // Where debug packages put what they have of it.
        let digits = image.buildID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let place = root + "/usr/lib/debug/.build-id/\(digits[0])"
        try files.createDirectory(atPath: place, withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: place + "/" + digits.dropFirst().joined(), withDestinationPath: "/opt/x")
        try files.createDirectory(atPath: root + "/opt", withIntermediateDirectories: true)
        try files.moveItem(atPath: directory.path("outside"), toPath: root + "/opt/x")
        #expect(try show("--sysroot", root).contains(#/#0 +touch/#))
    }

    @Test("find the program by a link in a build-id directory, at any depth")
    func buildIDLinks() throws {
        let files = FileManager.default
        let store = directory.path("store")
        let digits = image.buildID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let place = store + "/.build-id/\(digits[0])"
        try files.createDirectory(atPath: place, withIntermediateDirectories: true)
        let elsewhere = directory.path("elsewhere")
        try files.moveItem(atPath: program, toPath: elsewhere)
        try files.createSymbolicLink(
            atPath: place + "/" + digits.dropFirst().joined(), withDestinationPath: elsewhere)
        #expect(try show("--symbols", store).contains(#/#0 +touch/#))
        let deep = store + "/a/b/c/d/e/f/g/h/i/j/k"
        try files.removeItem(atPath: store)
        try files.createDirectory(atPath: deep, withIntermediateDirectories: true)
        try files.moveItem(atPath: elsewhere, toPath: deep + "/any-name")
        #expect(try show("--symbols", store).contains(#/#0 +touch/#))
    }

    /// With the addresses of the program's symbols, and lines that are made up.
    private func writeSymbolFile(_ identifier: String, to place: String) throws -> String {
        let symbols = ELFSymbolTable(image)
        let nm = try Subprocess.run(["nm", program]).standardOutput.split(separator: "\n")
        var text = "MODULE Linux x86_64 \(identifier) crash\nFILE 4 /src/made.c\n"
        let base = image.lowestAddress() ?? 0
        for (name, line) in [("touch", 11), ("recursion", 22), ("main", 33)] {
            let row = try #require(nm.first { $0.hasSuffix(" \(name)") })
            let address = try #require(UInt64(row.prefix(16), radix: 16))
            let size = try #require(symbols.symbol(containing: address)).size
            let start = String(address - base, radix: 16)
            let count = String(size, radix: 16)
            text += "FUNC \(start) \(count) 0 \(name)\n\(start) \(count) \(line) 4\n"
            text += "STACK CFI INIT \(start) \(count) .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
            // push rbp; mov rbp, rsp
            let pushed = String(address - base + 1, radix: 16)
            let moved = String(address - base + 4, radix: 16)
            text += "STACK CFI \(pushed) .cfa: $rsp 16 + $rbp: .cfa -16 + ^\n"
            text += "STACK CFI \(moved) .cfa: $rbp 16 +\n"
        }
        try FileManager.default.createDirectory(
            atPath: directory.path(place), withIntermediateDirectories: true)
        return try directory.write(Array(text.utf8), to: place + "/crash.sym")
    }

    private func show(_ options: String...) throws -> String {
        try dumpConvertOutput(
            ["show"] + options + [minidump], environment: ["DEBUGINFOD_URLS": ""])
    }
}
