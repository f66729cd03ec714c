// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Contexts of Swift tasks, whose callers are not on the stack. Each begins with its parent's
/// address and the code to resume at: swift/ABI/Task.h. A false match costs 64 bytes.
struct AsyncContexts {
    let memory: any CoreMemory
    let map: AddressMap

    private static let limit = 1_024
    private static let candidateLimit = 8_192

    func contexts(
        _ registers: RegisterSnapshot, _ stack: [ByteSlice]
    ) -> (addresses: [UInt64], cuts: [UInt64]) {
        var candidates = registers.named.map(\.value)
        for part in stack {
            for offset in stride(from: 0, to: part.count - 7, by: 8) {
                guard candidates.count < Self.candidateLimit else { break }
                guard let word = part.load(at: offset, as: UInt64.self), word % 8 == 0 else {
                    continue
                }
                candidates.append(word)
            }
        }
        var known: Set<UInt64> = []
        var addresses: [UInt64] = []
        for candidate in candidates where map.isData(candidate) {
            var next = candidate
            while !known.contains(next), let parent = parent(of: next) {
                guard addresses.count < Self.limit else { return (addresses, [next]) }
                known.insert(next)
                addresses.append(next)
                next = parent
            }
        }
        return (addresses, [])
    }

    /// The parent of a context, 0 for the outermost; nil if this is not a context.
    private func parent(of address: UInt64) -> UInt64? {
        guard address != 0, address % 8 == 0, map.isData(address) else { return nil }
        let pair = memory.bytes(at: address, count: 16)
        guard let parent = pair.load(at: 0, as: UInt64.self),
            let code = pair.load(at: 8, as: UInt64.self), map.isCode(code),
            parent == 0 || parent % 8 == 0 && map.isData(parent)
        else { return nil }
        return parent
    }
}
