// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A program whose debug sections say what no compiler says, and a crash in it.
struct HostileFile {
    let path: String
    private let directory: TemporaryDirectory
    private let address: UInt64

    private static let source = """
        volatile int sink;
        __attribute__((noinline)) int outer(int value) { return value * sink; }
        int main(int count, char **arguments) { (void)arguments; return outer(count); }

        """

    init(in directory: TemporaryDirectory, _ options: [String] = ["-gdwarf-5"]) throws {
        self.directory = directory
        path = directory.path("program")
        let file = try directory.write(Array(Self.source.utf8), to: "main.c")
        try runTool(
            ["clang", "-O1", "-no-pie", "-Wl,--build-id", "-o", path, file] + options)
        let symbols = try Subprocess.run(["nm", path]).standardOutput.split(separator: "\n")
        let line = try #require(symbols.first { $0.hasSuffix(" outer") })
        address = try #require(UInt64(line.prefix { $0 != " " }, radix: 16))
    }

    /// Puts `bytes` in the place of a section, at the end of the file. Elf64_Shdr: elf(5).
    func replace(_ name: String, with bytes: [UInt8], isCompressed: Bool = false) throws {
        let image = try ELFImage(try FileBytes.contents(of: path))
        let section = try #require(image.section(named: name), "no \(name)")
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let end = (try file.seekToEnd() + 15) / 16 * 16
        try file.seek(toOffset: end)
        try file.write(contentsOf: bytes)
        var header = ByteBuilder()
        header.append(section.flags | (isCompressed ? 0x800 : 0))
        header.append(UInt64(0))
        header.append(end)
        header.append(UInt64(bytes.count))
        try file.seek(toOffset: UInt64(section.headerOffset + 8))
        try file.write(contentsOf: header.bytes)
        try file.close()
    }

    func section(_ name: String) throws -> [UInt8] {
        let image = try ELFImage(try FileBytes.contents(of: path))
        return image.contents(of: try #require(image.section(named: name))).array
    }

    /// A minidump of a process that crashed in the program.
    func minidump() throws -> String {
        let image = try ELFImage(try FileBytes.contents(of: path))
        return try Self.minidump(
            of: path, buildID: image.buildID, at: address, in: directory)
    }

    /// A minidump of a process that crashed in a module of this path.
    static func minidump(
        of path: String, buildID: [UInt8], at address: UInt64 = 0x40_1000,
        in directory: TemporaryDirectory
    ) throws -> String {
        var module = ModuleSnapshot(
            path: path, addressRange: 0x40_0000..<0x50_0000, kind: .executable)
        module.buildID = buildID
        var registers = X86Registers()
        registers.rip = address
        registers.rsp = 0x7ffc_0000_0000
        var thread = ThreadSnapshot(id: 77, completeness: .complete)
        thread.registers = .x86_64(registers)
        var stack = ByteBuilder()
        for index in 0..<64 as Range<UInt64> { stack.append(address + index) }
        thread.stack = MemoryRegion(address: registers.rsp, bytes: ByteSlice(stack.bytes))
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.modules = [module]
        snapshot.threads = [thread]
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        exception.threadID = 77
        exception.registers = thread.registers
        snapshot.exception = exception
        let target = directory.path("crash.dmp")
        try? FileManager.default.removeItem(atPath: target)
        var sink = FileSink(try FileDescriptor.create(target))
        try MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &sink)
        return target
    }

    /// What a program wrote on standard output, and its peak of resident memory in MiB: ru_maxrss,
    /// getrusage(2).
    static func showing(_ arguments: [String]) throws -> (text: String, peakMebibytes: Int) {
        let script = """
            import resource, subprocess, sys
            subprocess.run(sys.argv[1:], check=True, timeout=50)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)
            """
        let run = try Subprocess.run(
            ["python3", "-c", script, Products.executable("dump-convert"), "show"] + arguments)
        try #require(run.ending == .exited(0), "\(run.standardError)")
        let last = run.standardError.split(separator: "\n").last
        return (run.standardOutput, try #require(last.flatMap { Int($0) }))
    }
}
