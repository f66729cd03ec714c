// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Directory {
    /// Whether the time of day may be used for ages of files here, by the rules of `PruneClock`.
    /// Earlier passes are in a file `clock`, which is not synced: if a power failure removes it,
    /// the witness is used. If it cannot be written, the next pass does without it.
    ///
    /// - Parameter witness: the latest time recorded in anything kept here; nil if there is none.
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
