// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Code in memory that differs in one bit from its file: nobody changes code that way on purpose.
enum FlippedCode {
    /// So much around the instruction pointer is compared: about what may have run last.
    private static let bytesBefore: UInt64 = 32
    private static let byteCount = 64

    static func finding(_ scene: CrashScene) -> Diagnosis.Finding? {
        guard scene.code != nil || scene.exception.signal == SignalNumber.illegalInstruction,
            let pointer = scene.registers?.instructionPointer, pointer >= bytesBefore
        else { return nil }
        let start = pointer - bytesBefore
        let inMemory = scene.memory.bytes(at: start, atMost: byteCount)
        let inFile = scene.memory.fileBytes(at: start, atMost: byteCount)
        let differences = zip(inMemory, inFile).enumerated().filter { $0.element.0 != $0.element.1 }
        guard differences.count == 1, let (offset, (found, expected)) = differences.first,
            (found ^ expected).nonzeroBitCount == 1
        else { return nil }
        let address = start + UInt64(offset)
        return .init(
            "This may be a memory error: the code at \(address.hex) differs in one bit from the "
                + "program's file.",
            evidence: "The byte is \(found.hex) in the dump and \(expected.hex) in the file of the "
                + "same build.")
    }
}
