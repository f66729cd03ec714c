// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A made-up crash with private things in all its places.
enum PrivateProcess {
    static let stack: UInt64 = 0x7ffc_1000_0000
    static let workerStack: UInt64 = 0x7f10_2000_0000
    static let heap: UInt64 = 0x5555_6000_0000
    static let code: UInt64 = 0x5555_5555_4000
    static let returnAddress = code + 0x123

    static let maps = """
        555555554000-555555556000 r-xp 00000000 fe:00 1234 /home/alice/bin/greeter
        555555556000-555555557000 rw-p 00002000 fe:00 1234 /home/alice/bin/greeter
        555560000000-555560010000 rw-p 00000000 00:00 0 [heap]
        7f1020000000-7f1020010000 rw-p 00000000 00:00 0
        7ffc10000000-7ffc10010000 rw-p 00000000 00:00 0 [stack]

        """

    /// 64 bytes in the crashing stack: a return address, a pointer into the stack, text, small
    /// integers of both signs, an address of the heap, a large number.
    static var stackBytes: [UInt8] {
        var bytes = ByteBuilder()
        bytes.append(returnAddress)
        bytes.append(stack + 0x20)
        bytes.append("hunter22-on-stack")
        bytes.appendZeros(7)
        bytes.append(UInt64(4096))
        bytes.append(UInt64(bitPattern: -4096))
        bytes.append(heap + 8)
        bytes.append(UInt64(4097))
        return bytes.bytes
    }

    static var snapshot: ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.id = 77
        snapshot.system.kernelName = "Linux"
        snapshot.system.kernelRelease = "6.1.0"
        var registers = X86Registers()
        (registers.rip, registers.rsp, registers.rbp) = (code + 0x100, stack, stack + 0x20)
        registers.floatingPoint = ByteSlice(
            Array("vector-of-letters".utf8) + Array(repeating: 7, count: 495))
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0)
        exception.threadID = 77
        exception.registers = .x86_64(registers)
        snapshot.exception = exception
        snapshot.threads = [thread(77, stack, stackBytes, registers), worker(registers)]
        var module = ModuleSnapshot(
            path: "/home/alice/bin/greeter", addressRange: code..<code + 0x3000, kind: .executable)
        module.buildID = Array(1...20)
        snapshot.modules = [module]
        snapshot.memory = [
            MemoryRegion(address: code + 0xf0, bytes: ByteSlice(Array("machine-code-bytes".utf8))),
            MemoryRegion(
                address: heap, bytes: ByteSlice(Array("/home/alice/key hunter22-in-heap".utf8))),
        ]
        snapshot.annotations = [
            Annotation(name: "password", value: "hunter22"),
            Annotation(name: "prod", value: "greeter"),
            Annotation(name: "login_token", value: "t0ken-of-alice"),
            Annotation(name: "path", value: "see /home/alice/log and /root/x"),
        ]
        snapshot.messages = [
            CrashMessage(source: "swift", text: "Fatal error: wrong password hunter22!")
        ]
        snapshot.files.maps = ByteSlice(Array(maps.utf8))
        snapshot.files.status = ByteSlice(Array("Name:\tgreeter\nPid:\t77\n".utf8))
        snapshot.commandLine = ByteSlice(
            Array("/home/alice/bin/greeter\0--key=s3cret-argument\0".utf8))
        snapshot.environment = ["LANG=C", "API_KEY=s3cret-variable"]
        snapshot.damage = [
            Damage(stage: .capture, subject: "file", reason: "/home/alice/gone is not there")
        ]
        return snapshot
    }

    private static func worker(_ registers: X86Registers) -> ThreadSnapshot {
        var registers = registers
        registers.rsp = workerStack
        var bytes = ByteBuilder()
        bytes.append(returnAddress)
        bytes.append("the worker's diary")
        bytes.appendZeros(6)
        return thread(78, workerStack, bytes.bytes, registers)
    }

    private static func thread(
        _ id: UInt64, _ address: UInt64, _ bytes: [UInt8], _ registers: X86Registers
    ) -> ThreadSnapshot {
        var thread = ThreadSnapshot(id: id, completeness: .complete)
        thread.name = id == 77 ? "greeter" : "alice's worker"
        thread.registers = .x86_64(registers)
        thread.stack = MemoryRegion(address: address, bytes: ByteSlice(bytes))
        return thread
    }
}
