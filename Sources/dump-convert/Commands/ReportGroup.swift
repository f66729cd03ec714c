// SPDX-License-Identifier: Apache-2.0

import CrashReport
import DumpConversion
import FoundationEssentials
import Minidump
import ReportDatabase
import Snapshot
import StackUnwinding
import Symbolication

/// The reports of one program with one signature.
struct ReportGroup {
    /// Nil for reports without a crash.
    let signature: KeptSignature?
    /// The executable's path; nil if it is not known.
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
    /// Groups all readable reports; the group whose last crash is the newest comes last.
    static func groups(
        of reports: [ListedReport], in database: ReportDatabase, images: InstalledImages,
        renewingPartial: Bool, _ output: Output
    ) -> [ReportGroup] {
        struct Key: Hashable {
            let identifier: String?
            let program: String?
        }
        let signatures = SignatureSource(
            database: database, cache: SignatureCache(database), images: images,
            renewsPartial: renewingPartial)
        var groups: [Key: ReportGroup] = [:]
        output.progress.during("reading stacks and symbols") {
            for (index, report) in reports.enumerated() {
                defer { output.progress.update(done: index + 1, of: reports.count) }
                guard let facts = report.facts else { continue }
                let signature = facts.hasSignature ? signatures.signature(of: report, output) : nil
                let key = Key(identifier: signature?.identifier, program: facts.program)
                groups[key, default: ReportGroup(signature: signature, program: facts.program)]
                    .reports.append(report)
            }
        }
        // Each group has its reports in the order of the list.
        return groups.values.sorted { left, right in
            guard let one = left.reports.last, let other = right.reports.last else { return false }
            return one.report.order < other.report.order
        }
    }
}

/// Signatures from the cache, or made now.
private struct SignatureSource {
    let database: ReportDatabase
    let cache: SignatureCache
    let images: InstalledImages
    let symbols = SymbolCache()
    /// Whether signatures with unnamed functions are made again, because other symbols are
    /// available.
    let renewsPartial: Bool

    func signature(of listed: ListedReport, _ output: Output) -> KeptSignature? {
        let known = cache.signature(of: listed.report.uuid)
        if let known, known.isComplete || !renewsPartial { return known }
        // Mapped only while this one is read.
        let snapshot: ProcessSnapshot
        do {
            let bytes = try database.contents(of: listed.report)
            snapshot = try MinidumpReader.read(bytes).snapshot
            // Bytes that were replaced by zeros say nothing.
            if let problem = bytes.readProblem {
                output.complain("\(listed.report.path) was not read in full: \(problem)")
                return known
            }
        } catch {
            // It was removed since it was listed, which is not a problem to report.
            if case DatabaseError.notFound = error { return known }
            output.complain("\(listed.report.path) cannot be read: \(error)")
            return known
        }
        images.makeRoom()
        let explanation = CrashExplanation(
            snapshot, images: images, threads: .crashing, cache: symbols)
        guard let signature = KeptSignature(explanation) else { return nil }
        cache.store(signature, of: listed.report.uuid)
        return signature
    }
}
