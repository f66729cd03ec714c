// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_EXCEPTION_STREAM, 168 bytes.
enum ExceptionStream {
    private static let parameterLimit = 15
    /// MD_EXCEPTION_CODE_LIN_DUMP_REQUESTED, Breakpad's minidump_exception_linux.h.
    private static let dumpRequested = UInt32.max

    static func place(
        _ exception: ExceptionSnapshot, context: Location, in layout: inout FileLayout
    ) -> Location {
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: exception.threadID ?? 0))
        record.append(UInt32(0))  // alignment
        record.append(UInt32(bitPattern: exception.signal), UInt32(bitPattern: exception.code))
        record.append(UInt64(0))  // nested exception
        record.append(exception.address)
        let parameters = SignalParameters.encode(exception)
        record.append(UInt32(truncatingIfNeeded: parameters.count))
        record.append(UInt32(0))  // alignment
        for index in 0..<parameterLimit {
            record.append(index < parameters.count ? parameters[index] : 0)
        }
        record.append(context)
        return layout.place(record, for: "exception")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let threadID = try cursor.read(UInt32.self)
        try cursor.skip(4)
        let number = try cursor.read(UInt32.self)
        let flags = try cursor.read(UInt32.self)
        try cursor.skip(8)
        let address = snapshot.architecture.address(try cursor.read())
        let system = snapshot.system.operatingSystem
        // A requested dump; nothing went wrong.
        if system.hasLinuxKernel, number == dumpRequested { return }
        var exception = ExceptionSnapshot(
            signal: Int32(bitPattern: number), code: Int32(bitPattern: flags), address: address)
        if !system.hasLinuxKernel {
            exception = ExceptionSnapshot(signal: 0, code: 0, address: 0)
            exception.foreign = ForeignException(
                system: system, code: number, flags: flags, address: address)
        }
        exception.threadID = threadID == 0 ? nil : UInt64(threadID)
        // Keep what was read before a cut.
        snapshot.exception = exception
        let count = min(Int(try cursor.read(UInt32.self)), parameterLimit)
        try cursor.skip(4)
        var parameters: [UInt64] = []
        for _ in 0..<parameterLimit { parameters.append(try cursor.read(UInt64.self)) }
        let words = parameters.prefix(count).map(snapshot.architecture.address)
        // SI_USER, which is 0, comes with a sender.
        exception.isCodeKnown = flags != 0 || !words.isEmpty
        add(words, to: &exception)
        snapshot.exception = exception
        let context = try cursor.readLocation()
        exception.registers = file.context(
            at: context, on: snapshot.architecture, of: "exception")
        // Some parameters are registers.
        add(words, to: &exception)
        snapshot.exception = exception
    }

    private static func add(_ parameters: [UInt64], to exception: inout ExceptionSnapshot) {
        guard exception.foreign == nil else {
            exception.foreign?.parameters = parameters
            return
        }
        SignalParameters.decode(parameters, into: &exception)
    }

    /// Upper bound of pid_t: PID_MAX_LIMIT, linux/threads.h.
    private static let largestProcessID: Int32 = 1 << 22

    /// Breakpad writes the first word of siginfo's union as the address, whatever the signal. If a
    /// process sent the signal, that word is sender and user. This is certain for codes below zero
    /// (kill(2) and similar, sigaction(2)). Without a code, both are taken as sender and user if
    /// they are the process's own ids. For fault signals, any process id with the same user will
    /// do, unless that is root: its number 0 is also half of an address; then only a signal that
    /// came while the kernel was called was sent. For other signals, the address is dropped
    /// otherwise. The word of a 32-bit process has no room for the user. Read /proc/PID/status and
    /// memory first.
    static func explainAddress(in snapshot: inout ProcessSnapshot) {
        guard var exception = snapshot.exception, exception.foreign == nil,
            exception.senderProcessID == nil
        else { return }
        let is32Bit = snapshot.architecture.has32BitPointers
        let sender = Int32(truncatingIfNeeded: exception.address)
        let user = is32Bit ? nil : UInt32(truncatingIfNeeded: exception.address >> 32)
        let isFault = SignalParameters.faultSignals.contains(exception.signal)
        let isPossible = (1...largestProcessID).contains(sender)
        let isOwnUser = user != nil && user == snapshot.process.userID
        if exception.isCodeKnown {
            guard exception.code < 0, isPossible else { return }
        } else if isFault {
            guard isPossible, isOwnUser,
                user != 0 || sender == snapshot.process.id || isInSystemCall(snapshot)
            else { return }
        } else {
            guard sender != 0, sender == snapshot.process.id, isOwnUser || is32Bit else {
                exception.address = 0
                snapshot.exception = exception
                return
            }
        }
        exception.senderProcessID = sender
        exception.senderUserID = user
        exception.address = 0
        snapshot.exception = exception
    }

    /// Whether the last instruction called the kernel; what follows it touches no memory.
    private static func isInSystemCall(_ snapshot: ProcessSnapshot) -> Bool {
        let call: [UInt8] =
            switch snapshot.architecture {
            case .x86_64: [0x0f, 0x05]  // syscall
            case .aarch64: [0x01, 0x00, 0x00, 0xd4]  // svc #0
            default: []
            }
        guard !call.isEmpty, let end = snapshot.exception?.registers?.instructionPointer else {
            return false
        }
        return snapshot.memory.contains { region in
            guard end >= region.address, let offset = Int(exactly: end - region.address),
                offset >= call.count
            else { return false }
            return region.bytes.slice(from: offset - call.count, length: call.count).array == call
        }
    }
}
