// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphSystem
import EpitaphValues

/// Values of an option are alternatives; annotations and different options must all match.
struct ListFilter {
    private var since: Timestamp?
    private var signals: Set<String> = []
    private var programs: [String] = []
    private var states: Set<String> = []
    private var bundleIDs: Set<String> = []
    private var annotations: [WantedAnnotation] = []
    private(set) var limit: Int?

    static let everything = ListFilter()

    private init() {}

    init(_ arguments: ParsedArguments) throws(UsageError) {
        since = arguments.value(of: Self.since).flatMap {
            UTCTime.date(parsing: $0, now: SystemWallClock().now())
        }
        for word in arguments.values(of: Self.signal) { signals.insert(try Self.reason(word)) }
        programs = arguments.values(of: Self.program)
        states = Set(arguments.values(of: Self.state))
        bundleIDs = Set(arguments.values(of: Self.bundleID))
        for word in arguments.values(of: Self.annotation) {
            annotations.append(try WantedAnnotation(word))
        }
        limit = arguments.count(of: Self.limit)
    }

    /// Whether every report matches; the limit is no condition.
    var takesAll: Bool {
        since == nil && signals.isEmpty && programs.isEmpty && states.isEmpty && !needsAnnotations
    }

    /// Whether the minidump must be read, because an index lacks the facts.
    var needsAnnotations: Bool { !bundleIDs.isEmpty || !annotations.isEmpty }

    /// The conditions that need no minidump; checked first.
    func mayContain(_ report: Report) -> Bool {
        (since.map { report.order.time >= $0 } ?? true)
            && (states.isEmpty || states.contains(ReportStateWord.of(PruneCandidate(report))))
    }

    /// An unreadable report matches only without conditions on facts.
    func contains(_ facts: ReportFacts?) -> Bool {
        guard let facts else { return signals.isEmpty && programs.isEmpty && !needsAnnotations }
        return (signals.isEmpty || facts.reason.map(signals.contains) ?? false)
            && (programs.isEmpty || programs.contains { Self.isProgram(facts.program, $0) })
    }

    func contains(_ outline: ProcessSnapshot) -> Bool {
        (bundleIDs.isEmpty || outline.launch?.bundleID.map(bundleIDs.contains) ?? false)
            && annotations.allSatisfy { outline.annotations.contains(where: $0.matches) }
    }

    /// With a slash the whole path must match, otherwise the file name.
    private static func isProgram(_ path: String?, _ wanted: String) -> Bool {
        guard let path else { return false }
        return (wanted.contains("/") ? path : path.lastPathComponent) == wanted
    }

    /// `SIGSEGV` for `SIGSEGV`, `segv` and `11`; `hang` for `hang`.
    private static func reason(_ word: String) throws(UsageError) -> String {
        if otherReasons.contains(word) { return word }
        let name = word.uppercased()
        let number = Int32(word)
        let known = (1...64 as ClosedRange<Int32>).compactMap { SignalTable.signal($0)?.name }
        if let number, let entry = SignalTable.signal(number) { return entry.name }
        if let found = known.first(where: { $0 == name || $0 == "SIG" + name }) { return found }
        throw UsageError(
            "--signal takes a name such as SIGSEGV or segv, a number, or one of "
                + "\(otherReasons.joined(separator: ", ")), not \"\(word)\"")
    }

    private static let otherReasons = [
        "hang", "recovered-hang", "memory-warning", "out-of-memory", "handled-error", "live",
    ]
}

/// `NAME=VALUE`, or `NAME` for any value.
private struct WantedAnnotation {
    let name: String
    let value: String?

    init(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count > 1 ? String(parts[1]) : nil
        guard !name.isEmpty else {
            throw UsageError("--annotation takes NAME=VALUE or NAME, not \"\(word)\"")
        }
    }

    func matches(_ found: Annotation) -> Bool {
        name == found.name && (value == nil || value == found.value)
    }
}

extension ListFilter {
    static let options = [since, signal, program, state, bundleID, annotation, limit]

    private static let since = OptionDescription(
        "since", value: "TIME", kind: .time,
        "list crashes since this time: 2026-08-22, 2026-08-22T03:14:05Z (UTC unless it says "
            + "otherwise), or a span before now: 2d, 12h, 30m")
    private static let signal = OptionDescription(
        "signal", value: "NAME", isRepeatable: true,
        "list reports of this signal: SIGSEGV, segv or 11; or of this kind: hang, handled-error")
    private static let program = OptionDescription(
        "program", value: "PROGRAM", isRepeatable: true,
        "list reports of this program: the name of its file, or its whole path")
    private static let state = OptionDescription(
        "state", value: "STATE", kind: .choice(["pending", "requested", "sent", "not-sent"]),
        isRepeatable: true, "list reports in this state")
    private static let bundleID = OptionDescription(
        "bundle-id", value: "ID", isRepeatable: true, "list reports of this bundle id")
    private static let annotation = OptionDescription(
        "annotation", value: "NAME=VALUE", isRepeatable: true,
        "list reports with this annotation; NAME alone means any value. Several must all be there")
    private static let limit = OptionDescription(
        "limit", value: "N", kind: .count,
        "list only the latest N reports, or with --group the latest N groups")
}
