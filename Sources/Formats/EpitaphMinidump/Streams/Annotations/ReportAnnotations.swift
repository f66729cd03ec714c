// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum ReportAnnotations {
    static func encode(_ snapshot: ProcessSnapshot) -> [Annotation] {
        var annotations = snapshot.annotations.map {
            Annotation(name: ReportFacts.written($0.name), value: $0.value)
        }
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
            (ReportFacts.uptime, process.uptimeNanoseconds.map { String($0) }),
            (ReportFacts.reportKind, snapshot.request?.kind.word),
            (ReportFacts.reportSubject, snapshot.request?.subjectName),
            (ReportFacts.bundleID, snapshot.launch?.bundleID),
            (ReportFacts.executable, hasExecutable ? nil : snapshot.launch?.executablePath),
            (ReportFacts.startTime, process.startTime.flatMap(microseconds)),
            (ReportFacts.snapshotTime, process.snapshotTime.flatMap(microseconds)),
            (ReportFacts.incomplete, snapshot.isCut ? "yes" : nil),
            (ReportFacts.heapError, snapshot.heap?.told?.error),
            (ReportFacts.heapBlock, snapshot.heap?.told?.block),
            (ReportFacts.heapAllocatedBy, snapshot.heap?.told?.allocatedBy),
            (ReportFacts.heapFreedBy, snapshot.heap?.told?.freedBy),
        ]
        annotations += facts.compactMap { name, value in
            value.map { Annotation(name: name, value: $0) }
        }
        return annotations
    }

    static func decode(_ annotations: [Annotation], into snapshot: inout ProcessSnapshot) {
        let places = ReportFacts.Places(of: annotations.map(\.name))
        for (index, annotation) in annotations.enumerated() {
            if places.messages[index] != nil {
                let source = annotations[index + 1].value
                snapshot.messages.append(CrashMessage(source: source, text: annotation.value))
            } else if !places.all.contains(index) {
                append(annotation, to: &snapshot)
            } else if !ReportFacts.isMessageName(annotation.name),
                !decodeFact(annotation, into: &snapshot)
            {
                snapshot.annotations.append(annotation)
            }
        }
    }

    static func append(_ annotation: Annotation, to snapshot: inout ProcessSnapshot) {
        var annotation = annotation
        annotation.name = ReportFacts.name(written: annotation.name)
        snapshot.annotations.append(annotation)
    }

    private static func decodeFact(
        _ annotation: Annotation, into snapshot: inout ProcessSnapshot
    ) -> Bool {
        switch annotation.name {
        // For servers: the capture facts have more.
        case ReportFacts.reportKind: break
        case ReportFacts.reportSubject:
            var request = snapshot.request ?? ReportRequest(kind: .live)
            request.subjectName = annotation.value
            snapshot.request = request
        case ReportFacts.bundleID:
            var launch = snapshot.launch ?? LaunchRecord()
            launch.bundleID = annotation.value
            snapshot.launch = launch
        case ReportFacts.executable:
            var launch = snapshot.launch ?? LaunchRecord()
            launch.executablePath = annotation.value
            snapshot.launch = launch
        case ReportFacts.startTime:
            guard let time = time(annotation.value) else { return false }
            snapshot.process.startTime = time
        case ReportFacts.snapshotTime:
            guard let time = time(annotation.value) else { return false }
            snapshot.process.snapshotTime = time
        case ReportFacts.uptime:
            guard let nanoseconds = UInt64(annotation.value) else { return false }
            snapshot.process.uptimeNanoseconds = nanoseconds
        case ReportFacts.incomplete: noteIncomplete(&snapshot)
        default: return decodeHeapWord(annotation, into: &snapshot)
        }
        return true
    }

    /// Those of a report without the stream are the program's.
    private static func decodeHeapWord(
        _ annotation: Annotation, into snapshot: inout ProcessSnapshot
    ) -> Bool {
        guard snapshot.heap != nil else { return false }
        let value = annotation.value
        switch annotation.name {
        case ReportFacts.heapError: snapshot.heap?.told = HeapWords(error: value)
        case ReportFacts.heapBlock: snapshot.heap?.told?.block = value
        case ReportFacts.heapAllocatedBy: snapshot.heap?.told?.allocatedBy = value
        case ReportFacts.heapFreedBy: snapshot.heap?.told?.freedBy = value
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
