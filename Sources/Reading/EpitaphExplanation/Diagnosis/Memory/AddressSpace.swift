// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct AddressSpace {
    let mappings: [MemoryMapping]
    /// For evidence: `the maps file`
    let source: String

    init?(_ snapshot: ProcessSnapshot) {
        var known = snapshot.mappings.filter { !$0.addressRange.isEmpty }
        guard !known.isEmpty else { return nil }
        let hasFile = snapshot.files.maps != nil
        source = hasFile ? "the maps file" : "the memory map"
        known.sort { $0.addressRange.lowerBound < $1.addressRange.lowerBound }
        // A minidump's list has no names.
        for index in known.indices where !hasFile && known[index].path.isEmpty {
            let start = known[index].addressRange.lowerBound
            let module = snapshot.modules.first { $0.addressRange.contains(start) }
            known[index].path = module?.path ?? ""
        }
        mappings = known
    }

    func mapping(at address: UInt64) -> MemoryMapping? {
        let index = firstIndex(above: address)
        guard index > 0, mappings[index - 1].addressRange.contains(address) else { return nil }
        return mappings[index - 1]
    }

    func mapping(below address: UInt64) -> MemoryMapping? {
        mappings[..<firstIndex(above: address)].last { $0.addressRange.upperBound <= address }
    }

    func mapping(above address: UInt64) -> MemoryMapping? {
        let index = firstIndex(above: address)
        return index < mappings.count ? mappings[index] : nil
    }

    /// Bytes from `address` to the nearest memory in use; 0 inside it.
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
    /// False for reserved addresses and guard pages.
    var isInUse: Bool { isReadable || isWritable || isExecutable }

    func allows(_ access: DeathReason.Access) -> Bool {
        switch access {
        case .read: isReadable
        case .write: isWritable
        case .execute: isExecutable
        }
    }

    /// `the heap`, `code of libc.so.6`
    var phrase: String {
        switch path {
        case "": isInUse ? "memory without a file" : "reserved memory"
        case "[heap]": "the heap"
        case "[stack]": "the main thread's stack"
        case let name where name.hasPrefix("["): "the mapping \(name)"
        default: "\(part) of \(fileName)"
        }
    }

    /// Some linkers place constants beside the code, in one mapping.
    func phrase(isCode: Bool?) -> String {
        switch isCode {
        case true?: phrase
        case false?: "read-only data of \(fileName)"
        case nil: "code or constants of \(fileName)"
        }
    }

    var hasFile: Bool { !path.isEmpty && !path.hasPrefix("[") }

    private var fileName: String { path.lastPathComponent }

    private var part: String {
        if isExecutable { return "code" }
        return isWritable ? "writable data" : "read-only data"
    }

    /// The line of the maps file, without device and inode.
    var line: String {
        let range = addressRange
        let name = path.isEmpty ? "" : " \(path)"
        return "\(range.lowerBound.hex)-\(range.upperBound.hex) \(permissions)\(name)"
    }
}
