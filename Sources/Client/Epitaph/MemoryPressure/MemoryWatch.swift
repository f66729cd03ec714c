// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Watches on a separate thread for scarce memory, woken by the kernel where possible (PSI, and
    /// memory.events of control groups version 2), otherwise at intervals.
    package final class MemoryWatch: Sendable {
        private let stopSignal: StopSignal

        /// Does nothing in the mode `none`. `onEvent` is called on the watching thread.
        ///
        /// - Throws: `SystemError` if no thread or file descriptor is left.
        package init(
            _ options: MemoryOptions = MemoryOptions(),
            files: ControlGroupFiles = ControlGroupFiles(),
            dumps: some MemoryDumping = ProvisionalDumps(),
            onEvent: @escaping @Sendable (MemoryEvent) -> Void
        ) throws(SystemError) {
            let stopSignal = try StopSignal()
            self.stopSignal = stopSignal
            guard options.mode != .none else { return }
            try BackgroundThread.start("epitaph-memory") {
                let clock = SystemStoppableClock(stopSignal: stopSignal)
                var pass = MemoryPass(options, dumps: dumps, onEvent: onEvent)
                let wakers = Wakers(files)
                while true {
                    let readiness = stopSignal.wait(seconds: pass.pause, for: wakers.awaited)
                    if readiness == .stopped { break }
                    let seconds = clock.monotonicSeconds()
                    if readiness == .timedOut,
                        pass.lookBriefly(seconds: seconds, files.use(since:))
                    {
                        continue
                    }
                    let hasTriggered = wakers.settle(readiness)
                    pass.look(at: files.reading(), hasTriggered: hasTriggered, seconds: seconds)
                    // A limit may be reached a thousand times a second.
                    if hasTriggered || readiness != .timedOut {
                        clock.wait(seconds: Wakers.pauseSeconds)
                    }
                }
                pass.end()
            }
        }

        deinit { stopSignal.stop() }

        package func stop() { stopSignal.stop() }
    }
}

private struct Wakers {
    static let pauseSeconds = 0.1
    /// 150 ms of 2 s: an unprivileged process may only use windows that are multiples of 2 s.
    private static let stallMicroseconds = 150_000
    private static let windowMicroseconds = 2_000_000

    private let trigger: FileDescriptor?
    private let changes: FileDescriptor?
    let awaited: [Awaited]

    init(_ files: ControlGroupFiles) {
        trigger =
            files.pressurePaths.lazy.compactMap {
                try? FileDescriptor.pressureTrigger(
                    $0, stallMicroseconds: Self.stallMicroseconds,
                    windowMicroseconds: Self.windowMicroseconds)
            }.first
        let paths = files.eventPaths
        changes = paths.isEmpty ? nil : try? FileDescriptor.changes(of: paths)
        awaited =
            [trigger.map { Awaited($0, .exception) }, changes.map { Awaited($0, .input) }]
            .compactMap { $0 }
    }

    /// Handles what woke the thread. Returns whether the kernel reported that tasks stall.
    func settle(_ readiness: Readiness) -> Bool {
        guard case .ready(let places) = readiness else { return false }
        changes?.drain()
        return trigger != nil && places.contains(0)
    }
}
