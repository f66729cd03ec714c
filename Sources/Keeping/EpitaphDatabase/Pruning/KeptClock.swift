// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Directory {
    /// Whether the time of day may be used for the ages of what is kept here, by the rules of
    /// `PruneClock`. The passes are remembered in a file `clock`.
    ///
    /// Not synced: where a power failure takes the file, the witness stands for it. One that cannot
    /// be written is missing at the next pass.
    ///
    /// - Parameters:
    ///   - now: the time of day.
    ///   - witness: the latest time that something kept here bears; nil where there is none.
    public func isClockTrusted(at now: Epitaph.Timestamp, witness: Epitaph.Timestamp?) -> Bool {
        let stored = storedClock()
        let (next, isTrusted) = PruneClock.next(after: stored, witness: witness, at: now)
        if let next, next != stored { store(next) }
        return isTrusted
    }

    private static var clockName: String { "clock" }

    private func storedClock() -> PruneClock? {
        guard let file = try? openForReading(Self.clockName),
            let bytes = try? file.readAll(limit: PruneClock.byteLimit)
        else { return nil }
        return PruneClock(bytes)
    }

    private func store(_ clock: PruneClock) {
        _ = try? replace(
            Self.clockName, with: clock.bytes, writing: ".new-" + Epitaph.ID().fileStem,
            isSynced: false)
    }
}
