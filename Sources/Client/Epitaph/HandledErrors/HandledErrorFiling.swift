// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

struct HandledErrorFiling {
    let process: any HandledErrorProcess
    let options: HandledErrorOptions

    private static let timeLimit = Duration.seconds(5)

    /// - Returns: a sentence for each attachment that is missing from the report.
    func file(
        _ snapshot: ProcessSnapshot, as id: Epitaph.ID, with attachments: [ErrorAttachment]
    ) throws(Refusal) -> [String] {
        var snapshot = snapshot
        let signature = StackKeeper(
            effort: options.stacks.effort, time: TimeAllowance(Self.timeLimit)
        ).keep(in: &snapshot)
        let known = snapshot
        var problems: [String] = []
        do throws(DatabaseError) {
            try process.file { (database) throws(DatabaseError) in
                let report = try database.prepareReport(id)
                // The report is useful without a client id, too.
                let clientID = (try? database.settings())?.clientID
                do throws(SystemError) {
                    var sink = report.sink
                    try MinidumpWriter(snapshot: known, reportID: id, clientID: clientID)
                        .write(to: &sink)
                } catch {
                    throw .system(error)
                }
                problems = attach(attachments, to: report, besides: known.attachments)
                try report.finish()
                if let signature { SignatureCache(database).store(signature, of: id) }
            }
        } catch {
            throw .errorNotFiled(error.description)
        }
        return problems
    }

    /// - Parameter own: files attached to every report of the program.
    private func attach(
        _ attachments: [ErrorAttachment], to report: NewReport, besides own: [NamedFile]
    ) -> [String] {
        let attachments =
            attachments + own.map { .file(AttachedFile($0.path, name: $0.name)) }
        let names = AttachedFile.namedApart(
            attachments.map {
                switch $0 {
                case .file(let file): file
                case .bytes(_, let name): AttachedFile(name, name: name)
                }
            })
        var problems: [String] = []
        for (attachment, file) in zip(attachments, names) {
            do throws(AttachmentProblem) {
                switch attachment {
                case .file:
                    try report.attach(file, limitBytes: options.attachmentLimitBytes)
                case .bytes(let bytes, _):
                    try report.attach(
                        bytes, as: file.name, limitBytes: options.attachmentLimitBytes)
                }
            } catch {
                problems.append(error.description)
            }
        }
        return problems
    }
}
