// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

extension SweepPass {
    /// Own bundle first, new dumps before retries, oldest first. Other files are recorded.
    mutating func candidates(in listing: DirectoryListing) -> [Candidate] {
        var candidates: [Candidate] = []
        for fileName in listing.names {
            do throws(SystemError) {
                // Vanished files are not reported.
                guard let status = try directory.status(of: fileName) else { continue }
                let parsed = DumpName(fileName)
                guard options.onlyDump == nil || parsed?.uuid == options.onlyDump else { continue }
                guard let name = parsed else {
                    // Handled together with their launches.
                    guard !SweptBreadcrumbs.isName(fileName) else {
                        breadcrumbs.note(fileName)
                        continue
                    }
                    let outcome = try DroppedDumps.take(fileName, status, in: directory)
                    if let outcome { record(fileName, outcome) }
                    continue
                }
                candidates.append(Candidate(fileName: fileName, name: name, status: status))
            } catch {
                record(fileName, .failed(sentence: error.description))
            }
        }
        let own = options.ownBundleID
        return candidates.sorted { left, right in
            let leftKey = (left.name.bundleID == own ? 0 : 1, left.name.stage.rank)
            let rightKey = (right.name.bundleID == own ? 0 : 1, right.name.stage.rank)
            guard leftKey == rightKey else { return leftKey < rightKey }
            return (left.status.modificationTime, left.fileName)
                < (right.status.modificationTime, right.fileName)
        }
    }

    /// Removes provisional dumps of processes that were not killed for lack of memory, and
    /// remembers the report kinds of the others.
    mutating func withoutUnneeded(_ candidates: [Candidate]) -> [Candidate] {
        let pass = self
        let fates = ProvisionalDumps(
            directory: directory, candidates: candidates, judge: judge,
            isOwn: { pass.isOwn($0) }, end: { pass.verdict(on: $0, isReplaced: false).end },
            evidence: { $0.map { pass.sweep.outOfMemory.evidence(for: $0) } ?? .unknown }
        ).fates()
        for case (let name, .report(let kind)) in fates { kinds[name] = kind }
        return candidates.filter { candidate in
            guard fates[candidate.fileName] == .discard,
                let file = try? directory.openForReading(candidate.fileName)
            else { return true }
            defer { file.unlock() }
            guard (try? claim(candidate, file)) == .taken else { return true }
            return (try? directory.remove(candidate.fileName)) == nil
        }
    }
}
