// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

package struct AddressBook {
    private let modules: [ModuleSnapshot]
    private let unloadedModules: [ModuleSnapshot]
    /// By address; nil without a memory map.
    private let mappings: [MemoryMapping]?
    /// Threads by the mapping of their stack pointer.
    private var stackOwners: [Int: ThreadSnapshot] = [:]

    package init(_ snapshot: ProcessSnapshot, mappings: [MemoryMapping]?) {
        modules = snapshot.modules
        unloadedModules = snapshot.unloadedModules
        let sorted = mappings?.sorted { $0.addressRange.lowerBound < $1.addressRange.lowerBound }
        self.mappings = sorted
        for thread in snapshot.threads {
            guard let pointer = thread.registers?.stackPointer,
                let mapping = Self.index(of: pointer, in: sorted ?? [])
            else { continue }
            stackOwners[mapping] = thread
        }
    }

    /// `libc.so.6+0x2010`, `stack of thread 4711 "worker"`, `[heap]`, `not mapped`; nil if unknown.
    package func place(of address: UInt64, namingThreads: Bool = true) -> String? {
        if let place = ReportFrame.Place(address, in: modules) {
            return "\(place.moduleName)+\(place.offset.hex)"
        }
        guard let mappings, !mappings.isEmpty else { return nil }
        guard let index = Self.index(of: address, in: mappings) else {
            let unloaded = unloadedModules.first { $0.addressRange.contains(address) }
            return unloaded.map { "not mapped; \($0.name) was unloaded there" } ?? "not mapped"
        }
        let mapping = mappings[index]
        if let owner = stackOwners[index] {
            let name = namingThreads ? owner.name.map { " \"\($0)\"" } : nil
            return "stack of thread \(owner.id)" + (name ?? "")
        }
        if mapping.path.isEmpty { return "anonymous memory, \(mapping.permissions)" }
        let name = mapping.path.lastPathComponent
        return "\(name), \(mapping.permissions)"
    }

    /// True if a value is likely an address.
    package func leadsSomewhere(_ value: UInt64) -> Bool {
        place(of: value).map { !$0.hasPrefix("not mapped") } ?? false
    }

    /// Meaning or target of a register's value; nil if unknown.
    package func hint(ofRegister name: String, _ value: UInt64) -> String? {
        // Flags are not addresses.
        guard name != "rflags", name != "pstate" else { return nil }
        // Small numbers of either sign are mostly counts and results, not pointers.
        if value < 4096 { return "\(value)" }
        let signed = Int64(bitPattern: value)
        if signed < 0, signed > -4096 { return "\(signed)" }
        return place(of: value)
    }

    private static func index(of address: UInt64, in mappings: [MemoryMapping]) -> Int? {
        let low = mappings.prefixCount { $0.addressRange.lowerBound <= address }
        guard low > 0, mappings[low - 1].addressRange.contains(address) else { return nil }
        return low - 1
    }
}
