// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The mappings of a crashed process, by address.
struct AddressSpace {
    /// Sorted, none of them empty.
    let mappings: [MemoryMapping]

    /// Nil if the dump does not have the maps file.
    init?(_ snapshot: ProcessSnapshot) {
        guard let maps = snapshot.files.maps else { return nil }
        let parsed = MemoryMapping.parse(maps).mappings.filter { !$0.addressRange.isEmpty }
        guard !parsed.isEmpty else { return nil }
        mappings = parsed.sorted { $0.addressRange.lowerBound < $1.addressRange.lowerBound }
    }

    func mapping(at address: UInt64) -> MemoryMapping? {
        let index = firstIndex(above: address)
        guard index > 0, mappings[index - 1].addressRange.contains(address) else { return nil }
        return mappings[index - 1]
    }

    /// The last mapping that ends at or below `address`.
    func mapping(below address: UInt64) -> MemoryMapping? {
        mappings[..<firstIndex(above: address)].last { $0.addressRange.upperBound <= address }
    }

    /// The first mapping that begins above `address`.
    func mapping(above address: UInt64) -> MemoryMapping? {
        let index = firstIndex(above: address)
        return index < mappings.count ? mappings[index] : nil
    }

    /// Bytes from `address` to the nearest memory that is in use; 0 inside of it.
    func distanceToUsedMemory(from address: UInt64) -> UInt64 {
        let index = firstIndex(above: address)
        let above = mappings[index...].first(where: \.isInUse).map {
            $0.addressRange.lowerBound - address
        }
        let below = mappings[..<index].last(where: \.isInUse).map { mapping in
            let end = mapping.addressRange.upperBound
            return end > address ? 0 : address - end
        }
        return min(above ?? .max, below ?? .max)
    }

    private func firstIndex(above address: UInt64) -> Int {
        mappings.prefixCount { $0.addressRange.lowerBound <= address }
    }
}

extension MemoryMapping {
    /// False for reserved addresses and guard pages, which no access may touch.
    var isInUse: Bool { isReadable || isWritable || isExecutable }

    func allows(_ access: DeathReason.Access) -> Bool {
        switch access {
        case .read: isReadable
        case .write: isWritable
        case .execute: isExecutable
        }
    }

    /// What the memory is, as a phrase: `the heap`, `code of libc.so.6`.
    var phrase: String {
        switch path {
        case "": isInUse ? "memory without a file" : "reserved memory"
        case "[heap]": "the heap"
        case "[stack]": "the main thread's stack"
        case let name where name.hasPrefix("["): "the mapping \(name)"
        default: "\(part) of \(fileName)"
        }
    }

    /// True for a mapping of a file, and not of a kernel name or nothing.
    var hasFile: Bool { !path.isEmpty && !path.hasPrefix("[") }

    private var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }

    private var part: String {
        if isExecutable { return "code" }
        return isWritable ? "writable data" : "read-only data"
    }

    /// The line of the maps file that describes it, without its device and inode.
    var line: String {
        let range = addressRange
        let name = path.isEmpty ? "" : " \(path)"
        return "\(range.lowerBound.hex)-\(range.upperBound.hex) \(permissions)\(name)"
    }
}
