// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphValues

extension Epitaph {
    /// What is known about the launch before this one.
    public struct LastSession: Sendable {
        /// How it ended, with the evidence; nil without a launch, or if its end is unknown.
        public let run: EarlierLaunch?
        /// The report of its crash, explained; nil without a crash or a report.
        public let crash: CrashSummary?

        /// Whether it crashed.
        public var hasCrashed: Bool {
            run?.end.isCrash ?? false
        }
    }
}

extension EarlierLaunch: CustomStringConvertible {
    /// How it ended and the evidence, in words that follow "the last launch": `was ended by
    /// SIGTERM; process 1 sent the signal`.
    public var description: String {
        recorded.end.words + (evidence.map { "; \($0)" } ?? "")
    }
}

extension Epitaph {
    private static var patienceSeconds: Double { 10 }

    /// The launch before this one. Blocks until the report of a crash has been made; tasks call the
    /// form that does not block.
    ///
    /// - Parameter time: how long to wait at most.
    /// - Returns: nil if it was not known in time, if Epitaph does not run, or if
    ///   `Configuration.processesEarlierDumps` is false.
    public static func lastSession(waiting time: Duration = .seconds(10)) -> LastSession? {
        phase.launch?.lastSession.wait(seconds: time.inSeconds) ?? nil
    }

    /// The launch before this one. Waits without blocking a thread of the pool.
    ///
    /// - Parameter time: how long to wait at most.
    /// - Returns: nil for the same reasons as above.
    public static func lastSession(waiting time: Duration = .seconds(10)) async -> LastSession? {
        guard let launch = phase.launch else { return nil }
        if let known = launch.lastSession.value { return known }
        do throws(SystemError) {
            return try await onOwnThread(orThrow: { $0 }) { _ throws(SystemError) in
                launch.lastSession.wait(seconds: time.inSeconds) ?? nil
            }
        } catch {
            return nil
        }
    }

    /// Whether the last launch crashed. Blocks like `lastSession(waiting:)`; false if unknown.
    public static var hasCrashedInLastSession: Bool { lastSession()?.hasCrashed ?? false }

    /// The last launch's crash: headline, reason, frames. Blocks like `lastSession(waiting:)`.
    public static var lastSessionCrashReport: CrashSummary? { lastSession()?.crash }

    /// Whether the launch before this one received a memory warning. Blocks like
    /// `lastSession(waiting:)`; false if unknown.
    public static var hasReceivedMemoryWarningInLastSession: Bool {
        lastRun?.hadMemoryWarning ?? false
    }

    /// How the launch before this one ended. Blocks like `lastSession(waiting:)`.
    public static var lastRun: EarlierLaunch? { lastSession()?.run }

    /// How many launches in a row before this one crashed within
    /// `Configuration.crashLoop.earlyTime` after their start. May block for some milliseconds after
    /// the start; 0 if Epitaph does not run.
    public static var consecutiveEarlyCrashCount: Int {
        phase.launch?.earlyCrashes.wait(seconds: Self.patienceSeconds)?.count ?? 0
    }
}
