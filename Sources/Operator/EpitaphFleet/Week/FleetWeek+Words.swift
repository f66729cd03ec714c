// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

// Texts shared by the page and the terminal.

extension FleetWeek {
    /// `1,204 crashes on 31 hosts`
    package var headline: String {
        guard crashCount > 0 else { return "No crashes" }
        return counted(crashCount, "crash", "crashes") + " on " + counted(hostCount, "host")
    }

    /// `2026-11-16 00:00:00 UTC to 2026-11-23 00:00:00 UTC`
    package var spanWords: String { "\(UTCTime.text(span.start)) to \(UTCTime.text(span.end))" }

    package var facts: [(label: String, value: String)] {
        [
            ("Crashes", crashCount.grouped), ("Hosts with crashes", hostCount.grouped),
            ("Programs", programCount.grouped), ("Releases", releaseCount.grouped),
            ("Signatures", signatureCount.grouped),
            ("New signatures", newSignatureCount?.grouped ?? "not known"),
        ]
    }

    /// Restrictions of the numbers, as sentences.
    package var remarks: [String] {
        var all: [String] = []
        if let earliest, earliest >= span.start {
            all.append(
                "The first crash known at all is of \(UTCTime.text(earliest)). Nothing before is "
                    + "known, so it cannot be told which signatures are new.")
        } else if let earliest {
            all.append(
                "New is what has no crash since \(UTCTime.text(earliest)), the first that is known."
            )
        }
        if doubtfulCount > 0 {
            all.append(
                "Not counted: \(counted(doubtfulCount, "report")) whose time cannot be true. The "
                    + "clock was never set, or was later than the arrival of the report, or the "
                    + "report came late and says a time before its release ran elsewhere.")
        }
        if Int(span.end.secondsSince1970) % span.stepSeconds != 0 {
            all.append("The last step of the pictures ends before its \(span.stepWords) is over.")
        }
        all.append("Hosts without a crash are not known here, so no share of hosts is given.")
        return all
    }

    /// The share of all crashes, in percent with one digit: `12.5%`.
    package func share(_ count: Int) -> String {
        guard crashCount > 0, count > 0 else { return "0%" }
        let tenths = (Double(count) / Double(crashCount) * 1000).rounded()
        // Neither 0% nor 100% unless it is exact.
        if tenths < 1 { return "<0.1%" }
        let shown = count < crashCount ? min(Int(tenths), 999) : 1000
        return shown % 10 == 0 ? "\(shown / 10)%" : "\(shown / 10).\(shown % 10)%"
    }
}

/// Names, with substitutes for empty ones.
package enum FleetWords {
    package static func program(_ name: String) -> String { name.isEmpty ? "(no program)" : name }
    package static func version(_ name: String) -> String { name.isEmpty ? "(no version)" : name }
    package static func host(_ name: String) -> String { name.isEmpty ? "(no host name)" : name }
    package static func kind(_ name: String) -> String { name.isEmpty ? "(no kind)" : name }
    package static func signature(_ text: String) -> String {
        text.isEmpty ? "(no signature)" : text
    }
}

extension FleetWeek {
    /// Whether a release has no crash before the span; false if unknown.
    package func isNew(_ release: Release) -> Bool {
        (earliest.map { $0 < span.start } ?? false) && release.first >= span.start
    }
}
