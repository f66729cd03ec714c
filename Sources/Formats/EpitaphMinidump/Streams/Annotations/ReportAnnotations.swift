// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Epitaph's additions to the annotations: servers show little else of a minidump.
enum ReportAnnotations {
    // Crashpad's names.
    private static let incomplete = "crashpad_intermediate_dump_incomplete"
    private static let uptime = "crashpad_uptime_ns"
    // Epitaph's. The minidump's own times are whole seconds.
    private static let bundleID = "epitaph_bundle_id"
    private static let executable = "epitaph_executable"
    private static let startTime = "epitaph_start_time_us"
    static let snapshotTime = "epitaph_snapshot_time_us"
    private static let reportKind = "epitaph_report_kind"
    private static let reportSubject = "epitaph_report_subject"

    static func encode(_ snapshot: ProcessSnapshot) -> [Annotation] {
        var annotations = snapshot.annotations
        for (index, said) in snapshot.messages.enumerated() {
            let name = ReportFacts.messageName(index)
            annotations.append(Annotation(name: name, value: said.text))
            annotations.append(
                Annotation(name: name + ReportFacts.sourceSuffix, value: said.source))
        }
        let process = snapshot.process
        // A dump that was cut early contains no modules.
        let hasExecutable = snapshot.modules.contains { $0.kind == .executable }
        let facts: [(name: String, value: String?)] = [
            (uptime, process.uptimeNanoseconds.map { String($0) }),
            (reportKind, snapshot.request?.kind.word),
            (reportSubject, snapshot.request?.subjectName),
            (bundleID, snapshot.launch?.bundleID),
            (executable, hasExecutable ? nil : snapshot.launch?.executablePath),
            (startTime, process.startTime.flatMap(microseconds)),
            (snapshotTime, process.snapshotTime.flatMap(microseconds)),
            (incomplete, snapshot.isCut ? "yes" : nil),
        ]
        annotations += facts.compactMap { name, value in
            value.map { Annotation(name: name, value: $0) }
        }
        return annotations
    }

    /// Takes what `encode` added out of the list; the rest are the program's annotations.
    static func decode(_ annotations: [Annotation], into snapshot: inout ProcessSnapshot) {
        for annotation in annotations {
            let name = annotation.name
            let count = snapshot.messages.count
            if name == ReportFacts.messageName(count) {
                snapshot.messages.append(CrashMessage(source: "", text: annotation.value))
            } else if count > 0,
                name == ReportFacts.messageName(count - 1) + ReportFacts.sourceSuffix
            {
                snapshot.messages[count - 1].source = annotation.value
            } else if name == uptime, let nanoseconds = UInt64(annotation.value) {
                snapshot.process.uptimeNanoseconds = nanoseconds
            } else if name == incomplete {
                noteIncomplete(&snapshot)
            } else if !decodeFact(annotation, into: &snapshot) {
                snapshot.annotations.append(annotation)
            }
        }
    }

    private static func decodeFact(
        _ annotation: Annotation, into snapshot: inout ProcessSnapshot
    ) -> Bool {
        switch annotation.name {
        // For servers: the capture facts have more.
        case reportKind: break
        case reportSubject:
            var request = snapshot.request ?? ReportRequest(kind: .live)
            request.subjectName = annotation.value
            snapshot.request = request
        case bundleID:
            var launch = snapshot.launch ?? LaunchRecord()
            launch.bundleID = annotation.value
            snapshot.launch = launch
        case executable:
            var launch = snapshot.launch ?? LaunchRecord()
            launch.executablePath = annotation.value
            snapshot.launch = launch
        case startTime:
            guard let time = time(annotation.value) else { return false }
            snapshot.process.startTime = time
        case snapshotTime:
            guard let time = time(annotation.value) else { return false }
            snapshot.process.snapshotTime = time
        default: return false
        }
        return true
    }

    /// Nil for a time without a fraction, or one a minidump cannot hold.
    private static func microseconds(_ time: Timestamp) -> String? {
        guard
            let whole = Int64(exactly: (time.secondsSince1970 * 1_000_000).rounded()),
            whole % 1_000_000 != 0
        else { return nil }
        return String(whole)
    }

    static func time(_ text: String) -> Timestamp? {
        Int64(text).map { Timestamp(secondsSince1970: Double($0) / 1_000_000) }
    }

    private static func noteIncomplete(_ snapshot: inout ProcessSnapshot) {
        guard !snapshot.isCut else { return }
        snapshot.damage.append(
            Damage(
                stage: .reading, subject: "intermediate dump",
                reason: "it was incomplete when the minidump was made from it"))
    }
}
