// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum PointerFindings {
    private static let kinds: Set<Diagnosis.Kind> = [
        .unmappedAddress, .nonCanonicalAddress, .wildJump, .inaccessibleMemory,
    ]

    static func findings(_ scene: CrashScene, _ kind: Diagnosis.Kind) -> [Diagnosis.Finding] {
        guard kinds.contains(kind) else { return [] }
        let suspects = suspects(scene)
        if let text = suspects.lazy.compactMap(PointerAsText.finding).first { return [text] }
        guard kind != .inaccessibleMemory else { return [] }
        return BitFlip.finding(scene, suspects).map { [$0] } ?? []
    }

    private static func suspects(_ scene: CrashScene) -> [(name: String, value: UInt64)] {
        guard let registers = scene.registers else { return [] }
        let accesses =
            scene.fault.map { [$0] }
            ?? scene.instruction.map {
                FaultingAccess.all($0, registers, segmentBase: scene.threadDataAddress)
                    .filter { !scene.isCanonical($0.address) }
            } ?? []
        var suspects = accesses.flatMap(\.parts)
        if let target = scene.instruction?.operands.first?.register,
            [.call, .jump].contains(scene.instruction?.flow),
            let value = target.value(in: registers)
        {
            suspects.append((target.name, value))
        }
        if scene.instruction == nil {
            suspects.append(("the program counter", registers.instructionPointer))
        }
        return suspects
    }
}

enum PointerAsText {
    static func finding(_ suspect: (name: String, value: UInt64)) -> Diagnosis.Finding? {
        let bytes = suspect.value.littleEndianBytes
        let text = bytes.prefix { (0x20...0x7e).contains($0) }
        // Pointers end with two zero bytes; six letters before them may be a string, or chance.
        guard text.count >= 7, bytes.dropFirst(text.count).allSatisfy({ $0 == 0 }),
            Set(text).count > 2
        else { return nil }
        return .init(
            "\(suspect.name) holds text, \"\(String(decoding: text, as: UTF8.self))\": "
                + "a string may have been written over the pointer.",
            evidence: "\(suspect.name) is \(suspect.value.hex).")
    }
}
