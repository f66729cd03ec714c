// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// The frame address by the code that made the frame, where rbp or tables are missing.
struct FrameSize {
    /// A function makes its frame within this many bytes: gcc moves other code in between.
    private static let beginningBytes: UInt64 = 96
    /// mov %rsp, %rbp
    private static let makesFrame: [UInt8] = [0x48, 0x89, 0xe5]

    let memory: CapturedMemory
    let modules: LoadedModules

    /// Nearest first: bytes that look like a push may be part of another instruction.
    func frameAddresses(of state: FrameState, at place: CodePlace) -> [UInt64] {
        guard state.isStackPointerExact, !state.isInterrupted, let code = beginning(of: place)
        else { return [] }
        let pushes: Int
        if let rules = place.rules {
            // By DWARF number, psABI: rbp 6, rip 16. Each saved register was pushed.
            guard rules.frameAddress == .register(6, offset: 16), rules.rule(for: 6) == .offset(-16)
            else { return [] }
            pushes = rules.registers.filter { $0.number != 16 }.count
        } else {
            pushes = Self.firstPushes(in: code)
        }
        let sizes = [0] + Self.reservations(in: code[...])
        return sizes.map { state.stackPointer &+ $0 &+ UInt64(pushes) * 8 &+ 8 }.sorted()
    }

    /// The code from the function's start to `place` or less; nil if it is not known.
    private func beginning(of place: CodePlace) -> [UInt8]? {
        guard modules.architecture == .x86_64,
            let start = modules.functionRange(of: place.lookupAddress)?.lowerBound
        else { return nil }
        let length = Int(clamping: min(place.lookupAddress &- start, Self.beginningBytes))
        let code = memory.bytes(at: start, count: length).array
        return code.count == length ? code : nil
    }

    /// 50 to 57, behind 41 for r8 to r15; Intel SDM 2B. endbr64 and mov may be in between.
    private static func firstPushes(in code: [UInt8]) -> Int {
        var rest = code[...]
        var count = 0
        while let first = rest.first {
            if let other = [[0xf3, 0x0f, 0x1e, 0xfa], makesFrame].first(where: rest.starts(with:)) {
                rest = rest.dropFirst(other.count)
                continue
            }
            if first == 0x41 { rest = rest.dropFirst() }
            guard let push = rest.first, 0x50...0x57 ~= push else { break }
            rest = rest.dropFirst()
            count += 1
        }
        return count
    }

    /// False if the function makes no frame before `place`; nil if its beginning is not known.
    func keepsFramePointer(_ place: CodePlace) -> Bool? {
        guard let code = beginning(of: place) else { return nil }
        return code.indices.contains { code[$0...].starts(with: Self.makesFrame) }
    }

    /// sub $bytes, %rsp: 48 83 EC imm8, 48 81 EC imm32; Intel SDM 2B.
    private static func reservations(in code: ArraySlice<UInt8>) -> [UInt64] {
        code.indices.compactMap { index in
            let rest = code[index...]
            if rest.starts(with: [0x48, 0x83, 0xec]), rest.count > 3 {
                return UInt64(rest[index + 3])
            }
            guard rest.starts(with: [0x48, 0x81, 0xec]), rest.count > 6 else { return nil }
            return rest[(index + 3)...].prefix(4).littleEndian
        }
    }
}
