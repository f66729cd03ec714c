// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The stacks of a report as they were found when it was filed: "Exception", "Threads" and "Debug
/// Meta" interfaces, develop.sentry.dev/sdk/foundations. Properties have Sentry's names.
struct SentryStacks {
    let timestamp: String?
    /// Of any system; others' exceptions are no signals, and the minidump describes them.
    let isCrash: Bool
    let exception: Values<Exception>?
    let threads: Values<Thread>
    let debugMeta: DebugMeta
    /// "Contexts Interface": an error of a sampled allocation, in words.
    let contexts: [String: [String: String]]?

    struct Values<Value: Encodable & Sendable>: Encodable, Sendable {
        let values: [Value]
    }

    struct Exception: Encodable {
        let type: String
        let value: String?
        let thread_id: UInt64?
        let mechanism: Mechanism
        let stacktrace: SentryTrace?
    }

    struct Mechanism: Encodable {
        let type = "signalhandler"
        let handled = false
        let meta: [String: Signal]
    }

    struct Signal: Encodable {
        let number: Int32
        let code: Int32?
        let name: String
    }

    struct Thread: Encodable {
        let id: UInt64
        let name: String?
        let crashed: Bool
        let current: Bool
        let stacktrace: SentryTrace?
    }

    struct DebugMeta: Encodable {
        let images: [Image]
    }

    struct Image: Encodable {
        let type = "elf"
        let code_file: String
        let code_id: String
        let debug_id: String
        let image_addr: String
        let image_size: Int

        init(_ module: ModuleSnapshot) {
            code_file = module.path
            code_id = module.buildID.hexDigits
            debug_id = Self.debugID(module.buildID)
            image_addr = module.addressRange.lowerBound.hex
            image_size = module.addressRange.count
        }

        /// The first 16 bytes as a GUID, whose first three fields are little-endian integers.
        private static func debugID(_ buildID: [UInt8]) -> String {
            let bytes = buildID.prefix(16) + [UInt8](repeating: 0, count: 16)
            let order = [3, 2, 1, 0, 5, 4, 7, 6] + Array(8..<16)
            return (Epitaph.ID(bytes: order.map { bytes[$0] }) ?? .none).description
        }
    }

    /// In bytes of UTF-8, for all threads: an event may have 1 MiB (`SentryEvent`).
    private static let byteLimit = 224 << 10

    /// Nil if no stacks were kept. `words` are the last words that may be sent.
    init?(_ snapshot: ProcessSnapshot, words: String?) {
        guard let kept = snapshot.keptStacks, !kept.stacks.isEmpty else { return nil }
        let current = snapshot.exception?.threadID ?? snapshot.request?.subjectThreadID
        let stacks = Dictionary(grouping: kept.stacks, by: \.threadID)
        let maker = SentryTrace.Maker(kept, snapshot.modules)
        var room = Self.byteLimit
        // The crashing thread first: the others share what it leaves.
        let ordered =
            snapshot.threads.filter { $0.id == current }
            + snapshot.threads.filter { $0.id != current }
        var traces: [(thread: ThreadSnapshot, trace: SentryTrace?)] = []
        var moments: [Thread] = []
        for thread in ordered {
            room -= 100 + (thread.name?.utf8.count ?? 0)
            guard room > 0 else { break }
            let own = (stacks[thread.id] ?? []).filter { $0.moment == nil }
            let stack = own.first(where: \.isOfCrash) ?? own.first
            let registers =
                thread.id == current ? snapshot.exception?.registers ?? thread.registers : nil
            traces.append((thread, stack.flatMap { maker.trace(of: $0, registers, &room) }))
            // Who freed and allocated a block matters more than the other threads.
            if traces.count == 1 { moments = Self.moments(snapshot.heap, kept, maker, &room) }
        }
        contexts = snapshot.heap?.told.map { ["memory_error": Self.context($0)] }
        isCrash = snapshot.exception != nil
        let crash = snapshot.exception.flatMap { $0.foreign == nil ? $0 : nil }
        timestamp = snapshot.process.snapshotTime.map(UTCTime.timestamp)
        exception = crash.map { crash in
            let name = Epitaph.Signal(rawValue: crash.signal).description
            let signal = Signal(
                number: crash.signal, code: crash.isCodeKnown ? crash.code : nil, name: name)
            return Values(values: [
                Exception(
                    type: name, value: words.map { String($0.prefix(1024)) }, thread_id: current,
                    mechanism: Mechanism(meta: ["signal": signal]),
                    stacktrace: traces.first { $0.thread.id == current }?.trace)
            ])
        }
        threads = Values(
            values: moments
                + traces.map { thread, trace in
                    let isCrash = crash != nil && thread.id == current
                    return Thread(
                        id: thread.id, name: thread.name, crashed: isCrash,
                        current: thread.id == current,
                        // That of the crash is the exception's.
                        stacktrace: isCrash ? nil : trace)
                })
        let shown = traces.map(\.trace) + moments.map(\.stacktrace)
        let used = Set(shown.flatMap { $0?.frames.compactMap(\.package) ?? [] })
        debugMeta = DebugMeta(
            images: snapshot.modules.filter { !$0.buildID.isEmpty && used.contains($0.path) }
                .map(Image.init))
    }
}

extension SentryStacks {
    /// The calls that freed and allocated sampled blocks, as threads: an event has no other place
    /// for stacks. Their ids are none that gettid(2) gives.
    private static func moments(
        _ heap: HeapSampling?, _ kept: KeptStacks, _ maker: SentryTrace.Maker, _ room: inout Int
    ) -> [Thread] {
        (heap?.moments ?? []).compactMap { place, moment in
            let stack = kept.stacks.first { $0.moment == place }
            guard let trace = stack.flatMap({ maker.trace(of: $0, nil, &room) }) else { return nil }
            let thread = moment.threadID.map { " by thread \($0)" } ?? ""
            return Thread(
                id: 1 << 32 + UInt64(place.number),
                name: "block \(place.block + 1) \(place.isFree ? "freed" : "allocated")\(thread)",
                crashed: false, current: false, stacktrace: trace)
        }
    }

    private static func context(_ words: HeapWords) -> [String: String] {
        var context = ["error": words.error]
        context["block"] = words.block
        context["allocated_by"] = words.allocatedBy
        context["freed_by"] = words.freedBy
        return context
    }
}
