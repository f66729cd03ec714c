// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphValues
import Glibc

/// A thread's stack at a call, copied in microseconds and evaluated later on another thread.
final class CallerStack: @unchecked Sendable {
    // Immutable after the copy.
    private let copy: UnsafeMutablePointer<epitaph_caller_stack>

    static let readyCount: UInt32 = 2

    @inline(never)
    init?() {
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        guard let copy = epitaph_caller_stack_copy(isInTask) else { return nil }
        self.copy = copy
    }

    private init(_ copy: UnsafeMutablePointer<epitaph_caller_stack>) {
        self.copy = copy
    }

    deinit {
        epitaph_caller_stack_free(copy)
    }

    static func prepareMemory(forCopies count: UInt32 = readyCount) {
        epitaph_caller_buffers_prepare(count)
    }

    func compacted() -> CallerStack {
        let size = byteCount
        guard copy.pointee.is_from_ready_memory, let memory = malloc(size) else { return self }
        memory.copyMemory(from: copy, byteCount: size)
        let kept = memory.assumingMemoryBound(to: epitaph_caller_stack.self)
        kept.pointee.is_from_ready_memory = false
        return CallerStack(kept)
    }

    var byteCount: Int {
        MemoryLayout<epitaph_caller_stack>.size + Int(copy.pointee.byte_count)
    }

    /// The thread, and the memory outside of its stack that unwinding needs, reduced to addresses:
    /// every word of registers and stack that is not an address within `mappings` becomes zero, so
    /// that texts, keys and numbers stay out of the report.
    func thread(in mappings: [MemoryMapping]) -> (ThreadSnapshot, contexts: [MemoryRegion]) {
        let addresses = AddressFilter(mappings)
        var thread = ThreadSnapshot(id: copy.pointee.thread_id, completeness: .complete)
        let name = withUnsafeBytes(of: copy.pointee.thread_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        thread.name = name.isEmpty ? nil : name
        thread.registers = registers(addresses)
        if copy.pointee.is_unreadable {
            thread.completeness = .partial
            thread.whyIncomplete = "its stack could not be copied"
        } else {
            thread.stack = MemoryRegion(
                address: copy.pointee.address, bytes: ByteSlice(stackBytes(addresses)))
        }
        if copy.pointee.cut_context != 0 { thread.asyncChainCuts = [copy.pointee.cut_context] }
        return (thread, contexts(addresses))
    }

    var isCut: Bool { copy.pointee.is_cut && !copy.pointee.is_unreadable }

    private func stackBytes(_ addresses: AddressFilter) -> [UInt8] {
        let count = Int(copy.pointee.byte_count)
        let offset = MemoryLayout<epitaph_caller_stack>.size
        let words = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(copy) + offset, count: count)
        return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            let target = UnsafeMutableRawBufferPointer(target)
            for place in stride(from: 0, to: count, by: 8) {
                let word = words.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                target.storeBytes(of: addresses.kept(word), toByteOffset: place, as: UInt64.self)
            }
            filled = count
        }
    }

    private func contexts(_ addresses: AddressFilter) -> [MemoryRegion] {
        withUnsafeBytes(of: &copy.pointee.contexts) { bytes in
            bytes.bindMemory(to: epitaph_caller_context.self).prefix(
                Int(copy.pointee.context_count)
            ).map { context in
                let words = [context.words.0, context.words.1].map(addresses.kept)
                return MemoryRegion(
                    address: context.address,
                    bytes: ByteSlice(words.withUnsafeBytes(Array.init)))
            }
        }
    }

    private func registers(_ addresses: AddressFilter) -> RegisterSnapshot {
        let words = withUnsafeBytes(of: copy.pointee.registers.words) {
            $0.bindMemory(to: UInt64.self).map(addresses.kept)
        }
        guard AddressFilter.machine == .x86_64 else {
            var registers = ARM64Registers()
            for (number, word) in words[..<12].enumerated() { registers.x[19 + number] = word }
            registers.sp = words[12]
            registers.pc = words[13]
            return .aarch64(registers)
        }
        var registers = X86Registers()
        registers.rbx = words[0]
        registers.rbp = words[1]
        registers.r12 = words[2]
        registers.r13 = words[3]
        registers.r14 = words[4]
        registers.r15 = words[5]
        registers.rsp = words[6]
        registers.rip = words[7]
        return .x86_64(registers)
    }
}

private struct AddressFilter {
    private let mappings: [(range: Range<UInt64>, isExecutable: Bool)]
    private static let addressBits: UInt64 = (1 << 48) - 1
    static let machine = Architecture(rawValue: UInt16(EPITAPH_CALLER_MACHINE))
    /// The only bit above an address that the saved frame pointer of an async function may have:
    /// swift/docs/ABI/CallingConvention.rst.
    private static let asyncMark: UInt64 = 1 << 60

    init(_ mappings: [MemoryMapping]) {
        self.mappings = mappings.map { ($0.addressRange, $0.isExecutable) }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Six letters of a text may equal a mapped address; the two above them tell it apart.
    func kept(_ word: UInt64) -> UInt64 {
        // A shortcut: most words of a stack are small.
        guard word >> 12 != 0 else { return 0 }
        let address = word & Self.addressBits
        let isPlain = word & ~Self.asyncMark == address
        guard isPlain || Self.machine != .x86_64 else { return 0 }
        let index = mappings.prefixCount { $0.range.upperBound <= address }
        guard index < mappings.count, mappings[index].range.contains(address) else { return 0 }
        // The signature of a return address: Arm ARM, D8.9.
        return isPlain || mappings[index].isExecutable ? word : 0
    }
}
