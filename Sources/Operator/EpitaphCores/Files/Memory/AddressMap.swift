// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct AddressMap {
    let mappings: [MemoryMapping]

    init(_ mappings: [MemoryMapping]) {
        self.mappings = mappings.filter { !$0.addressRange.isEmpty }
            .sorted { $0.addressRange.lowerBound < $1.addressRange.lowerBound }
    }

    /// The mappings of a core: its segments, named by its list of files.
    init(_ header: CoreHeader, _ notes: CoreNotes) {
        var files: [UInt64: MappedFile] = [:]
        for file in notes.files { files[file.range.lowerBound] = file }
        let vdso = notes.auxiliary(AuxiliaryType.vdso)
        let stack = notes.auxiliary(AuxiliaryType.random)
        var mappings = header.segments.filter { $0.type == CoreSegment.load }.map { segment in
            var mapping = MemoryMapping(addressRange: segment.addressRange)
            mapping.isReadable = segment.flags & 4 != 0
            mapping.isWritable = segment.flags & 2 != 0
            mapping.isExecutable = segment.flags & 1 != 0
            if let file = files.removeValue(forKey: segment.address) {
                mapping.fileOffset = file.fileOffset
                mapping.path = file.path
            } else if segment.address == vdso {
                mapping.path = "[vdso]"
            } else if let stack, segment.addressRange.contains(stack) {
                mapping.path = "[stack]"
            }
            return mapping
        }
        // gdb omits read-only segments, code among them, without saying which are code.
        for file in files.values where !file.range.isEmpty {
            var mapping = MemoryMapping(addressRange: file.range)
            mapping.isReadable = true
            mapping.isExecutable = true
            mapping.fileOffset = file.fileOffset
            mapping.path = file.path
            mappings.append(mapping)
        }
        self.init(mappings)
    }

    func mapping(at address: UInt64) -> MemoryMapping? {
        index(at: address).map { mappings[$0] }
    }

    private func index(at address: UInt64) -> Int? {
        let low = mappings.prefixCount { $0.addressRange.lowerBound <= address }
        guard low > 0, mappings[low - 1].addressRange.contains(address) else { return nil }
        return low - 1
    }

    /// Whether libc's guard of a thread's stack is directly below: the stack ends here, too.
    func hasGuard(below address: UInt64) -> Bool {
        guard let index = index(at: address), index > 0 else { return false }
        let below = mappings[index - 1]
        return below.addressRange.upperBound == mappings[index].addressRange.lowerBound
            && !below.isReadable && !below.isWritable && !below.isExecutable
    }

    func isData(_ address: UInt64) -> Bool { mapping(at: address)?.isWritable == true }

    /// Whether `address` is in writable memory, or shortly below it as the pointer of a stack that
    /// overflowed.
    func isStack(above address: UInt64) -> Bool {
        let next = mappings.prefixCount { $0.addressRange.upperBound <= address }
        return mappings[next...].prefix { $0.addressRange.lowerBound <= address &+ (1 << 20) }
            .contains(where: \.isWritable)
    }

    func isCode(_ address: UInt64) -> Bool { mapping(at: address)?.isExecutable == true }
}
