// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

// Texts shared by the page and the terminal.

extension FleetWeek {
    package var headline: String {
        guard crashCount > 0 else { return "No crashes" }
        return counted(crashCount, "crash", "crashes") + " on " + counted(hostCount, "host")
    }

    /// How the fleet changed since the time before, in one sentence.
    package var changeWords: String {
        guard crashCount > 0 else { return "Nothing crashed." }
        guard let before else {
            return "It is not known how much crashed in the \(span.beforeWords)."
        }
        let unit: String
        let divisor: (now: Double, before: Double)
        if let running {
            unit = "host and 1,000 running hours"
            divisor = (running.now / 1_000, running.before / 1_000)
        } else {
            unit = "host that reported"
            divisor = (Double(hostCountOfBoth), Double(hostCountOfBoth))
        }
        let (then, now) = (
            Double(before.crashCount) / divisor.before, Double(crashCount) / divisor.now
        )
        let words = [
            (newSignatureCount ?? 0, "new"), (backCount, "back"), (worseCount, "worse"),
        ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        let most = changes.compactMap(\.factor).max()
        return "Crashes per \(unit): \(FleetWords.figure(then)) in the \(span.beforeWords), "
            + "\(FleetWords.figure(now)) now\(newReleaseWords); "
            + (words.isEmpty ? "nothing is new, back or worse" : words.joined(separator: ", "))
            + (most.map { " (\(FleetWords.factor($0)))" } ?? "") + "."
    }

    /// `, with exampled 2.3 and 2 other new releases`
    private var newReleaseWords: String {
        let new = newReleases
        guard let first = new.first else { return "" }
        let name = FleetWords.program(first.program) + " " + FleetWords.version(first.version)
        guard new.count > 1 else { return ", with the new \(name)" }
        return ", with \(name) and \(counted(new.count - 1, "other new release"))"
    }

    package var newReleases: [Release] { releases.filter(isNew) }

    /// How worse is decided, and what the rates rest on.
    private var methodRemarks: [String] {
        guard crashCount > 0 else { return [] }
        let level =
            "if hosts crash independently, fewer than 1 of 100 such pages have a word of this kind "
            + "by chance"
        var all = [
            "Back is what a release lacked between two that have it, if the share that it had of "
                + "the crashes before makes that no chance; \(level)."
        ]
        guard before != nil else { return all }
        let exception =
            hostCountOfBoth > 1 ? " The host with the most of them is left out for that." : ""
        all.append(
            "Worse is what crashed in more hours of hosts than in the \(span.beforeWords) "
                + "(conditional binomial test with Chernoff's bound, one-sided, level 0.01 divided "
                + "by the \(counted(signatureCount, "signature"))): \(level).\(exception)")
        all.append(
            running == nil
                ? "How long programs ran is not known: rates are per host that reported in either "
                    + "time, and these \(hostCountOfBoth.grouped) are taken as running in both."
                : "Programs ran \(FleetWords.figure(running?.before ?? 0)) hours in the "
                    + "\(span.beforeWords) and \(FleetWords.figure(running?.now ?? 0)) now, on all "
                    + "hosts.")
        return all
    }

    package var spanWords: String { "\(UTCTime.text(span.start)) to \(UTCTime.text(span.end))" }

    package var facts: [(label: String, value: String)] {
        [
            ("Crashes", crashCount.grouped), ("Hosts with crashes", hostCount.grouped),
            ("Programs", programCount.grouped), ("Releases", releaseCount.grouped),
            ("Signatures", signatureCount.grouped),
            ("New signatures", newSignatureCount?.grouped ?? "not known"),
        ]
    }

    package var remarks: [String] {
        var all: [String] = []
        if let earliest, earliest >= span.start {
            all.append(
                "The first known crash is of \(UTCTime.text(earliest)). Nothing earlier is known, "
                    + "so no signature can be called new.")
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
        all += methodRemarks
        if crashCount > 0 {
            all.append("Hosts without a crash are not known here, so no share of hosts is given.")
        }
        return all
    }

    /// What to know of the numbers per step besides.
    package var stepRemarks: [String] {
        guard Int(span.end.secondsSince1970) % span.stepSeconds != 0 else { return [] }
        return ["The last step of the pictures ends before its \(span.stepWords) is over."]
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
    /// With two digits that count: `0.31`, `12`, `1,204`.
    package static func figure(_ number: Double) -> String {
        guard number.isFinite, number < 1e15 else { return "-" }
        guard number < 9.95 else { return Int(number.rounded()).grouped }
        var digits = 1
        var limit = 0.995
        while number < limit, number > 0, digits < 8 {
            digits += 1
            limit /= 10
        }
        var power = 1
        for _ in 0..<digits { power *= 10 }
        let units = Int((number * Double(power)).rounded())
        let fraction = String(units % power).zeroPadded(to: digits)
        let shown = fraction.reversed().drop { $0 == "0" }.reversed()
        return "\(units / power)" + (shown.isEmpty ? "" : "." + String(shown))
    }
    package static func factor(_ number: Double) -> String {
        number.isFinite ? "\(figure(number)) times as often" : "none before"
    }
    package static func signature(_ text: String) -> String {
        text.isEmpty ? "(no signature)" : text
    }
}

extension FleetWeek {
    package func isNew(_ release: Release) -> Bool {
        (earliest.map { $0 < span.start } ?? false) && release.first >= span.start
    }
}
