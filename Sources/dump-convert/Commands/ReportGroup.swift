// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials
import ReportDatabase
import StackUnwinding

/// The reports of one program with one signature.
struct ReportGroup {
    /// Nil for reports without a crash.
    let signature: SignatureCache.Entry?
    /// The executable's path; nil when it is not known.
    let program: String?
    /// The oldest crash first.
    private(set) var reports: [ListedReport] = []

    var first: Date { reports.first?.time ?? .distantPast }
    var last: Date { reports.last?.time ?? .distantPast }

    /// `exampled: null-dereference parse(_:) | handle(_:)`
    var title: String {
        let name = program.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? "?"
        return "\(name): \(signature?.text ?? "no crash")"
    }
}

extension ReportGroup {
    /// Groups what can be read; the group whose last crash is the newest comes last.
    static func groups(
        of reports: [ListedReport], in database: ReportDatabase, images: InstalledImages,
        renewingPartial: Bool, _ output: Output
    ) -> [ReportGroup] {
        struct Key: Hashable {
            let identifier: String?
            let program: String?
        }
        let signatures = SignatureSource(
            cache: SignatureCache(database), images: images, renewsPartial: renewingPartial)
        var groups: [Key: ReportGroup] = [:]
        output.progress.during("reading stacks and symbols") {
            for (index, report) in reports.enumerated() where report.snapshot != nil {
                let signature = signatures.signature(of: report)
                let key = Key(identifier: signature?.identifier, program: report.program)
                groups[key, default: ReportGroup(signature: signature, program: report.program)]
                    .reports.append(report)
                output.progress.update(done: index + 1, of: reports.count)
            }
        }
        // Each group has its reports in the order of the list.
        return groups.values.sorted { left, right in
            guard let one = left.reports.last, let other = right.reports.last else { return false }
            return one.report.order < other.report.order
        }
    }
}

/// Signatures out of the cache, or made now.
private struct SignatureSource {
    let cache: SignatureCache
    let images: InstalledImages
    /// Whether those with nameless functions are made again, because there are other symbols now.
    let renewsPartial: Bool

    func signature(of report: ListedReport) -> SignatureCache.Entry? {
        guard let snapshot = report.snapshot, snapshot.exception != nil else { return nil }
        let known = cache.entry(of: report.report.uuid)
        if let known, known.isComplete || !renewsPartial { return known }
        let explanation = CrashExplanation(snapshot, images: images, threads: .crashing)
        guard let signature = explanation.signature else { return nil }
        let frames = explanation.crashingThread?.stack?.frames.prefix(8) ?? []
        let entry = SignatureCache.Entry(
            text: signature.text, identifier: signature.identifier,
            isComplete: frames.allSatisfy { $0.function != nil })
        cache.store(entry, of: report.report.uuid)
        return entry
    }
}
