// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphExplanation
import EpitaphMinidump
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

struct ReportGroup {
    /// Nil for reports without a crash.
    let signature: KeptSignature?
    /// The executable's path, if known.
    let program: String?
    /// The oldest crash first.
    private(set) var reports: [ListedReport] = []

    var first: Timestamp { reports.first?.time ?? .distantPast }
    var last: Timestamp { reports.last?.time ?? .distantPast }

    /// `exampled: null-dereference parse(_:) | handle(_:)`
    var title: String {
        let name = program?.lastPathComponent ?? "?"
        return "\(name): \(signature?.text ?? "no crash")"
    }
}

struct DatabaseList {
    let database: ReportDatabase
    let reports: [ListedReport]
    /// Reads with the rights of the database's owner.
    let images: any ELFImageSource
}

extension ReportGroup {
    static func groups(
        of lists: [DatabaseList], renewingPartial: Bool, _ output: Output
    ) throws(CommandFailure) -> [ReportGroup] {
        struct Key: Hashable {
            let identifier: String?
            let program: String?
        }
        var groups: [Key: ReportGroup] = [:]
        for list in lists {
            let signed = try onDatabase(
                try list.database.asOwner { signatures(of: list, renewingPartial, output) })
            for (report, program, signature) in signed {
                let key = Key(identifier: signature?.identifier, program: program)
                groups[key, default: ReportGroup(signature: signature, program: program)]
                    .reports.append(report)
            }
            let listed = Set(list.reports.map(\.report.uuid))
            SignatureCache(list.database).forgetAll {
                listed.contains($0) || list.database.mayHave($0)
            }
        }
        for key in groups.keys {
            groups[key]?.reports.sort { $0.report.order < $1.report.order }
        }
        return groups.values.sorted { left, right in
            guard let one = left.reports.last, let other = right.reports.last else { return false }
            return one.report.order < other.report.order
        }
    }

    private typealias Signed = (report: ListedReport, program: String?, signature: KeptSignature?)

    private static func signatures(
        of list: DatabaseList, _ renewingPartial: Bool, _ output: Output
    ) -> [Signed] {
        let source = SignatureSource(
            database: list.database, cache: SignatureCache(list.database), images: list.images,
            renewsPartial: renewingPartial)
        return output.progress.during("reading stacks and symbols") {
            list.reports.enumerated().compactMap { index, report in
                defer { output.progress.update(done: index + 1, of: list.reports.count) }
                guard let facts = report.facts else { return nil }
                let signature = facts.hasSignature ? source.signature(of: report, output) : nil
                return (report, facts.program, signature)
            }
        }
    }
}

private struct SignatureSource {
    let database: ReportDatabase
    let cache: SignatureCache
    let images: any ELFImageSource
    let symbols = SymbolCache()
    /// Whether to renew signatures with unnamed functions, because other symbols are available.
    let renewsPartial: Bool

    func signature(of listed: ListedReport, _ output: Output) -> KeptSignature? {
        let known = cache.signature(of: listed.report.uuid)
        if let known, known.isComplete || !renewsPartial { return known }
        // Mapped only while this report is read.
        let snapshot: ProcessSnapshot
        do {
            let bytes = try database.contents(of: listed.report)
            snapshot = try MinidumpReader.read(bytes).snapshot
            if let problem = bytes.readProblem {
                output.complain("\(listed.report.path) was not read in full: \(problem)")
                return known
            }
        } catch {
            // Removed since it was listed: not a problem.
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
