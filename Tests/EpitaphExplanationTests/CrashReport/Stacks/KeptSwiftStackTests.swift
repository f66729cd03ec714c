// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphExplanation
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@Suite("A report of a Swift program that was removed after it was filed")
struct KeptSwiftStackTests {
    private static let source = """
        struct Basket<Item> {
            var items: [Item]

            @inline(never)
            func pick(_ index: Int) -> Item {
                let place = index + .max
                return items[place]
            }
        }

        @inline(never)
        func handle(_ basket: Basket<Int>, _ wanted: Int) -> Int {
            basket.pick(wanted) + 1
        }

        print(handle(Basket(items: [1, 2, 3]), CommandLine.arguments.count + 7))

        """

    @Test("It has the headline, the signature and the names for people that it had before")
    func removed() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(Self.source.utf8), to: "main.swift")
        let program = directory.path("basket")
        let compiler = try Subprocess.run(
            [
                "swiftc", "-g", "-Onone", "-module-name", "Basketry", "-Xlinker", "--build-id",
                "-o", program, directory.path("main.swift"),
            ], deadlineSeconds: 300)
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
        var snapshot = try DebuggedProgram(running: [program], in: directory).snapshot
        // The kernel's signal for UD2, which the snapshot of a core file does not contain: SIGILL,
        // ILL_ILLOPN.
        snapshot.exception?.signal = 4
        snapshot.exception?.code = 2
        let instruction = try #require(snapshot.exception?.registers?.instructionPointer)
        snapshot.exception?.address = instruction
        // A dump has the code at the fault; gdb leaves what is in files out of a core.
        snapshot.memory.append(
            MemoryRegion(address: instruction, bytes: ByteSlice([0x0f, 0x0b])))
        let before = Told(snapshot)
        #expect(before.headline?.contains("overflow") == true, "\(before)")
        #expect(before.signature?.contains("pick(_:) line 2 | ") == true, "\(before)")
        #expect(before.names.contains { $0.hasSuffix("handle(_:_:)") })
        #expect(before.stackPointers.allSatisfy { $0 != nil })

        StackKeeper().keep(in: &snapshot)
        var bytes = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &bytes)
        var filed = try MinidumpReader.read(ByteSlice(bytes.bytes)).snapshot
        #expect(Told(filed) == before)
        try FileManager.default.removeItem(atPath: program)
        #expect(Told(filed) == before)

        // The frames themselves are the kept ones as well.
        for index in filed.modules.indices { filed.modules[index].keptCallFrames = nil }
        if case .x86_64(var registers) = filed.exception?.registers {
            registers.rbp = 0
            filed.exception?.registers = .x86_64(registers)
        }
        let kept = Told(filed)
        #expect(kept.isKept)
        #expect(kept.names == before.names)
        #expect(kept.signature == before.signature)
        #expect(kept.stackPointers == before.stackPointers)

        filed.keptStacks = nil
        #expect(Told(filed).signature != before.signature)
    }
}

/// The first lines that are shown of a crash.
private struct Told: Equatable {
    var headline: String?
    var signature: String?
    var names: [String] = []
    var lines: [Int?] = []
    var stackPointers: [UInt64?] = []
    var isKept = false

    init(_ snapshot: ProcessSnapshot) {
        let explanation = CrashExplanation(snapshot, images: InstalledImages())
        let stack = explanation.crashingThread?.stack
        headline = explanation.diagnosis?.headline
        signature = explanation.signature?.text
        names = (stack?.frames ?? []).map { $0.shortFunction ?? "??" }
        lines = (stack?.frames ?? []).map(\.functionLine)
        stackPointers = (stack?.frames ?? []).map(\.stackPointer)
        isKept = stack?.isKept == true
    }
}
