// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A program run to its crash under gdb: the snapshot of its core file, and the stack as gdb sees
/// it.
package struct DebuggedProgram {
    /// One physical frame; inlined calls are not frames.
    package struct Frame: Equatable, Sendable {
        package let instructionPointer: UInt64
        /// Empty where gdb has none.
        package let function: String
    }

    package let snapshot: ProcessSnapshot
    package let core: CoreFile
    /// The crashing thread, innermost first.
    package let frames: [Frame]

    private static let script = """
        import gdb
        frame = gdb.newest_frame()
        while frame is not None:
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                print("FRAME %x %s" % (frame.pc(), frame.name() or ""))
            frame = frame.older()
        maps = open("/proc/%d/maps" % gdb.selected_inferior().pid).read()
        open("MAPS", "w").write(maps)
        """

    /// Runs until the first SIGSEGV, SIGABRT or other fatal signal; SIGUSR1 goes to the program.
    package init(running arguments: [String], in directory: TemporaryDirectory) throws {
        let script = Self.script.replacing("MAPS", with: directory.path("maps"))
        try directory.write(Array(script.utf8), to: "frames.py")
        let core = directory.path("core")
        let gdb = try Subprocess.run(
            [
                "gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off",
                "-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry off",
                "-ex", "handle SIGUSR1 nostop noprint pass", "-ex", "run",
                "-ex", "source \(directory.path("frames.py"))",
                "-ex", "generate-core-file \(core)", "--args",
            ] + arguments)
        frames = gdb.standardOutput.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.first == "FRAME", fields.count > 1,
                let address = UInt64(fields[1], radix: 16)
            else { return nil }
            return Frame(
                instructionPointer: address,
                function: fields.count > 2 ? String(fields[2]) : "")
        }
        guard !frames.isEmpty else { throw NoCrash(output: gdb.standardError) }
        self.core = try CoreFile(core)
        snapshot = try self.core.snapshot(
            maps: try FileBytes.contents(of: directory.path("maps")))
    }

    /// gdb had no frames to show: the program did not crash, or did not start.
    package struct NoCrash: Error {
        package let output: String
    }
}
