// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_THREAD_LIST: a count and records of 48 bytes.
enum ThreadListStream {
    static let recordByteCount = 48

    static func byteCount(threadCount: Int) -> Int { 4 + threadCount * recordByteCount }

    static func placeContexts(
        of threads: [WrittenThread], on architecture: Architecture, in layout: inout FileLayout
    ) -> [Location] {
        threads.map { written in
            guard let registers = written.thread.registers else { return .none }
            return layout.place(
                .context(registers, architecture), alignment: 16,
                for: "registers of thread \(written.id)")
        }
    }

    static func record(
        of threads: [WrittenThread], contexts: [Location], memory: MemoryPlan
    ) -> ByteBuilder {
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: threads.count))
        for (written, context) in zip(threads, contexts) {
            let stack = written.thread.stack
            record.append(written.id)
            record.append(UInt32(0))  // suspend count
            record.append(UInt32(0))  // priority class
            record.append(ThreadPriority.encode(written.thread))
            record.append(written.thread.threadDataAddress ?? 0, stack?.address ?? 0)
            record.append(stack.map { memory.location(of: $0) } ?? .none)
            record.append(context)
        }
        return record
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        let records = try file.records(
            in: stream, byteCount: recordByteCount, memoryBytes: 2_048,
            limit: ThreadSnapshot.countLimit, for: "thread list")
        for slice in records {
            var cursor = ByteCursor(slice)
            let id = try cursor.read(UInt32.self)
            try cursor.skip(8)
            let priority = try cursor.read(UInt32.self)
            var thread = ThreadSnapshot(id: UInt64(id), completeness: .missing)
            let threadDataAddress = snapshot.architecture.address(try cursor.read())
            thread.threadDataAddress = threadDataAddress == 0 ? nil : threadDataAddress
            let stackAddress = snapshot.architecture.address(try cursor.read())
            let stack = try cursor.readLocation()
            if let bytes = file.bytes(at: stack, for: "stack of thread \(id)") {
                thread.stack = MemoryRegion(address: stackAddress, bytes: bytes)
            } else if stackAddress != 0 {
                file.stackAddresses[snapshot.threads.count] = stackAddress
            }
            thread.registers = file.context(
                at: try cursor.readLocation(), on: snapshot.architecture, of: "thread \(id)")
            thread.completeness = completeness(of: thread.registers)
            if ContextFormat.isUnknown(on: snapshot.architecture) {
                thread.whyIncomplete =
                    "registers of \(snapshot.architecture.name) are not understood"
            }
            if file.isFromCrashpadFamily, snapshot.system.operatingSystem.hasLinuxKernel {
                ThreadPriority.decode(priority, into: &thread)
            }
            snapshot.threads.append(thread)
        }
    }

    private static func completeness(
        of registers: RegisterSnapshot?
    ) -> ThreadSnapshot.Completeness {
        switch registers {
        case nil: .missing
        case .pointers: .partial
        default: .complete
        }
    }
}

/// Crashpad's encoding in MINIDUMP_THREAD.Priority: 20 - nice in byte 0, the policy by rising
/// urgency in byte 1, the static priority in byte 2. All ones if unknown.
enum ThreadPriority {
    private static let unknown = UInt32.max
    /// SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5. DEADLINE 6 is Epitaph's addition.
    private static let policies: [(linux: Int32, record: UInt32)] = [
        (5, 1), (3, 2), (0, 3), (2, 4), (1, 5), (6, 6),
    ]

    static func encode(_ thread: ThreadSnapshot) -> UInt32 {
        guard let policy = policies.first(where: { $0.linux == thread.schedulingPolicy }),
            let nice = thread.nice, (-20...19).contains(nice)
        else { return unknown }
        let priority = UInt32(UInt8(clamping: thread.priority ?? 0))
        return UInt32(20 - nice) | policy.record << 8 | priority << 16
    }

    static func decode(_ value: UInt32, into thread: inout ThreadSnapshot) {
        let niceness = value & 0xff
        guard value != unknown, (1...40).contains(niceness),
            let policy = policies.first(where: { $0.record == value >> 8 & 0xff })
        else { return }
        thread.nice = 20 - Int32(niceness)
        thread.schedulingPolicy = policy.linux
        thread.priority = Int32(value >> 16 & 0xff)
    }
}
