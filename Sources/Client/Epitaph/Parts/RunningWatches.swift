// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphEvents
import EpitaphExplanation
import EpitaphSystem
import EpitaphValues

/// The threads of one launch that watch for hangs, scarce memory and system events.
final class RunningWatches: Sendable {
    private let options: Epitaph.Configuration.Parts
    private let reporter: CrashReporter
    private let record: @Sendable (EventPayload) -> Void
    private let running = ForkSafeMutex(Running())

    private struct Running {
        var hangs: HangDetection?
        var memory: MemoryWatch?
        var system: SystemEventWatch?
        var isStopped = false
    }

    init(
        _ options: Epitaph.Configuration.Parts, reporter: CrashReporter,
        record: @escaping @Sendable (EventPayload) -> Void
    ) {
        self.options = options
        self.reporter = reporter
        self.record = record
    }

    var system: SystemEventWatch? { running.withLock { $0.system } }

    /// Starts the watch of system events before the program goes on, which may note one at once.
    func startSystemEvents(log: (String) -> Void) {
        let system = made("events of the system", log) {
            try options.systemEvents.map { try SystemEventWatch($0) { [self] in note($0) } }
        }
        let isTooLate = running.withLock { running in
            if !running.isStopped { running.system = system }
            return running.isStopped
        }
        if isTooLate { system?.stop() }
        // Before one of them may come, whose handler is then no longer ours.
        if let system, !isTooLate { sayWhichSignalsAreNot(system) }
    }

    private func made<Watch>(
        _ name: String, _ log: (String) -> Void, _ make: () throws -> Watch?
    ) -> Watch? {
        do {
            return try make()
        } catch {
            log("\(name) cannot be watched: \(error)")
            return nil
        }
    }

    func start(log: (String) -> Void) {
        let system = system
        let memory = made("memory", log) {
            try options.memory.map {
                try MemoryWatch($0) { [self] in note($0, beside: system) }
            }
        }
        let hangs = made("hangs", log) {
            try options.hangs.map { try HangDetection($0) { [self] in note($0) } }
        }
        let isTooLate = running.withLock { running in
            guard !running.isStopped else { return true }
            running = Running(hangs: hangs, memory: memory, system: system)
            return false
        }
        if isTooLate { Self.stop(hangs, memory, nil) }
    }

    private func sayWhichSignalsAreNot(_ system: SystemEventWatch) {
        for signal in options.systemEvents?.wantedSignals ?? []
        where !Epitaph.marksEnd(by: signal) {
            let name = signal.description
            let words = "\(name) is left to the program, and not noted when it comes"
            system.note(SystemEvent(.sourceOff, .info, words, details: ["signal": name]))
        }
    }

    func stop() {
        let ended = running.withLock { running in
            defer { running = Running(isStopped: true) }
            return running
        }
        Self.stop(ended.hangs, ended.memory, ended.system)
    }

    private static func stop(
        _ hangs: HangDetection?, _ memory: MemoryWatch?, _ system: SystemEventWatch?
    ) {
        hangs?.stop()
        memory?.stop()
        system?.stop()
    }

    private func note(_ event: HangEvent) {
        let words =
            switch event.kind {
            case .began: "hangs"
            case .reported: "still hangs and has been reported"
            case .ended: "hangs no more"
            }
        Epitaph.note(
            "\(event.name) \(words), silent for \(event.silence.inMilliseconds) ms", .warning,
            category: "hang")
        record(
            .hang(
                HangDetails(
                    subject: event.name,
                    durationSeconds: event.silence.inSeconds,
                    outcome: event.kind == .ended ? .recovered : .ongoing)))
    }

    private func note(_ event: MemoryEvent, beside system: SystemEventWatch?) {
        let message: String
        switch event.kind {
        case .began(let cause):
            message = "memory is scarce: \(cause)"
            Epitaph.noteMemoryWarning()
            record(
                .memoryWarning(
                    MemoryWarningDetails(
                        level: .warning, source: cause,
                        residentBytes: event.reading.residentBytes.map(Int.init(clamping:)),
                        limitBytes: event.reading.group.map { Int(clamping: $0.limitBytes) })))
        case .ended: message = "memory is no longer scarce"
        }
        // The watch of system events filters them and then calls back here.
        if let system {
            system.note(SystemEvent(.memoryPressure, .warning, message))
        } else {
            Epitaph.note(message, .warning, category: "memory")
        }
    }

    private func note(_ event: SystemEvent) {
        Epitaph.note(event.message, event.level, category: "system")
        guard let kind = SystemBroadcastDetails.Kind(event.kind) else { return }
        let details = event.details.mapValues { Epitaph.Value.text($0) }
        record(.systemBroadcast(SystemBroadcastDetails(kind, details: details)))
    }
}

extension SystemBroadcastDetails.Kind {
    /// Nil for events that concern only this program.
    fileprivate init?(_ kind: SystemEvent.Kind) {
        switch kind {
        case .networkLink: self = .network
        case .powerSupply: self = .power
        case .clockStep: self = .clockStep
        case .timeZone: self = .timeZone
        case .locale: self = .locale
        // Has its own event type.
        case .memoryPressure, .started, .stopped, .signal, .configuration, .sourceOff: return nil
        }
    }
}
