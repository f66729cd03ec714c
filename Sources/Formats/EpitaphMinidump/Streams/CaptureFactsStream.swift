// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Facts without a field elsewhere: a count, then records of 16 bytes. Unknown kinds are skipped.
enum CaptureFactsStream {
    private static let recordByteCount = 16

    private enum Kind: UInt32 {
        /// State of the file of the module at `address`: a `ModuleSnapshot.FileState`.
        case fileState = 1
        /// The async context chain of thread `value` was cut at `address`.
        case asyncChainCut = 2
        /// The last fault of a thread killed by a signal from a process: trap number in the low
        /// half of `value`, error code in the high half, the page fault's address in `address`.
        case lastTrap = 3
        /// The capture blanked `address` bytes of memory and registers.
        case blankedBytes = 4
        /// The request for a dump without a crash: the lowest byte of `value` is its `ReportKind`,
        /// bit 8: one thread only, bit 9: provisional; `address` is the thread's id or 0.
        case request = 5
        /// The subject of that request had lasted `address` nanoseconds.
        case duration = 6
        /// Unstopped thread `value` was in system call `address`; all bits set for none.
        case systemCall = 7
        /// The next argument of that call, which is futex(2); three per thread.
        case futexArgument = 8
    }

    private static let oneThread: UInt32 = 1 << 8
    private static let provisional: UInt32 = 1 << 9

    private struct Record {
        let kind: Kind
        let value: UInt32
        let address: UInt64

        init(_ kind: Kind, _ value: UInt32, _ address: UInt64) {
            (self.kind, self.value, self.address) = (kind, value, address)
        }
    }

    static func hasFacts(_ snapshot: ProcessSnapshot) -> Bool {
        !records(of: snapshot).isEmpty
    }

    static func place(_ snapshot: ProcessSnapshot, in layout: inout FileLayout) -> Location {
        let records = records(of: snapshot)
        var list = ByteBuilder()
        list.append(UInt32(truncatingIfNeeded: records.count))
        for record in records {
            list.append(record.kind.rawValue, record.value, record.address)
        }
        return layout.place(list, for: "capture facts")
    }

    private static func records(of snapshot: ProcessSnapshot) -> [Record] {
        let states = snapshot.modules.compactMap { module in
            module.fileState.map {
                Record(.fileState, UInt32($0.rawValue), module.addressRange.lowerBound)
            }
        }
        let cuts = snapshot.threads.flatMap { thread in
            thread.asyncChainCuts.map {
                Record(.asyncChainCut, UInt32(truncatingIfNeeded: thread.id), $0)
            }
        }
        let blanked = snapshot.capture?.blankedByteCount.map {
            Record(.blankedBytes, 0, $0)
        }
        return states + cuts + snapshot.threads.flatMap(waits)
            + [lastTrap(snapshot.exception), blanked].compactMap(\.self)
            + (snapshot.request.map(records) ?? [])
    }

    private static func waits(of thread: ThreadSnapshot) -> [Record] {
        // For other threads the registers show it.
        guard thread.completeness == .partial, let call = thread.systemCall else { return [] }
        let value = UInt32(truncatingIfNeeded: thread.id)
        return [
            Record(.systemCall, value, UInt64(bitPattern: call))
        ]
            + thread.futexArguments.map {
                Record(.futexArgument, value, $0)
            }
    }

    private static func records(of request: ReportRequest) -> [Record] {
        let flags =
            (request.includesAllThreads ? 0 : oneThread) | (request.isProvisional ? provisional : 0)
        let what = Record(
            .request, UInt32(request.kind.number) | flags, request.subjectThreadID ?? 0)
        let duration = request.durationNanoseconds.map {
            Record(.duration, 0, $0)
        }
        return [what] + [duration].compactMap(\.self)
    }

    private static func put(
        request value: UInt32, _ subject: UInt64, into snapshot: inout ProcessSnapshot
    ) {
        let kind = ReportKind(number: UInt8(truncatingIfNeeded: value))
        var request = snapshot.request ?? ReportRequest(kind: kind)
        request.kind = kind
        request.subjectThreadID = subject == 0 ? nil : subject
        request.includesAllThreads = value & oneThread == 0
        request.isProvisional = value & provisional != 0
        snapshot.request = request
    }

    /// For a fault signal the exception stream has these.
    private static func lastTrap(_ exception: ExceptionSnapshot?) -> Record? {
        guard let exception, exception.foreign == nil, exception.code <= 0 else { return nil }
        switch exception.registers {
        case .x86_64(let registers):
            guard registers.trapNumber != 0, let trap = UInt16(exactly: registers.trapNumber),
                let code = UInt16(exactly: registers.errorCode)
            else { return nil }
            return Record(.lastTrap, UInt32(code) << 16 | UInt32(trap), registers.cr2)
        case .aarch64(let registers):
            guard registers.faultAddress != 0 else { return nil }
            return Record(.lastTrap, 0, registers.faultAddress)
        case .named, .pointers, nil: return nil
        }
    }

    private static func put(
        lastTrap value: UInt32, _ address: UInt64, into snapshot: inout ProcessSnapshot
    ) {
        switch snapshot.exception?.registers {
        case .x86_64(var registers):
            registers.trapNumber = UInt64(value & 0xffff)
            registers.errorCode = UInt64(value >> 16)
            registers.cr2 = address
            snapshot.exception?.registers = .x86_64(registers)
        case .aarch64(var registers):
            registers.faultAddress = address
            snapshot.exception?.registers = .aarch64(registers)
        case .named, .pointers, nil: break
        }
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var states: [UInt64: ModuleSnapshot.FileState] = [:]
        var cuts: [UInt64: [UInt64]] = [:]
        var calls: [UInt64: UInt64] = [:]
        var arguments: [UInt64: [UInt64]] = [:]
        for slice in try file.records(
            in: stream, byteCount: recordByteCount, for: "capture facts")
        {
            var cursor = ByteCursor(slice)
            let kind = Kind(rawValue: try cursor.read())
            let value = try cursor.read(UInt32.self)
            let address = try cursor.read(UInt64.self)
            switch kind {
            case .fileState:
                states[address] = UInt8(exactly: value).flatMap { .init(rawValue: $0) }
            case .asyncChainCut: cuts[UInt64(value), default: []].append(address)
            case .lastTrap: put(lastTrap: value, address, into: &snapshot)
            case .blankedBytes:
                var capture = snapshot.capture ?? CaptureSummary()
                capture.blankedByteCount = address
                snapshot.capture = capture
            case .request: put(request: value, address, into: &snapshot)
            case .duration: snapshot.request?.durationNanoseconds = address
            case .systemCall: calls[UInt64(value)] = address
            case .futexArgument: arguments[UInt64(value), default: []].append(address)
            case nil: continue
            }
        }
        for index in snapshot.modules.indices {
            snapshot.modules[index].fileState =
                states[snapshot.modules[index].addressRange.lowerBound]
        }
        for index in snapshot.threads.indices {
            let id = snapshot.threads[index].id
            snapshot.threads[index].asyncChainCuts = cuts[id] ?? []
            snapshot.threads[index].systemCall = calls[id].map { Int64(bitPattern: $0) }
            let given = arguments[id] ?? []
            snapshot.threads[index].futexArguments = given.count == 3 ? given : []
        }
    }
}
