// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc

/// A whole core in the operator's directory, as `core.NAME.UID.PID.TIME`, with holes for zeros.
struct KeptCore {
    let sink: CoreFileSink
    private let file: FileDescriptor
    private let path: String

    /// Creates the file. It is readable by the process's user, or by root alone if the kernel would
    /// give that user no core.
    init(
        in directory: String, _ arguments: CoreArguments, _ settings: CoreHandlerSettings
    ) throws(CoreHandlerError) {
        let limit = UInt64(settings.keptCoreMebibytes) << 20
        do throws(SystemError) {
            let place = try Directory(named: directory)
            let status = try place.fileStatus()
            guard status.ownerID == geteuid(), status.permissions & 0o022 == 0 else {
                throw SystemError(call: "open", subject: directory, errorNumber: EPERM)
            }
            let letters = (arguments.name ?? "unknown").unicodeScalars.map {
                $0.value > 0x20 && $0.value < 0x7f && $0 != "/" ? String($0) : "-"
            }
            let name =
                "core.\(letters.joined()).\(arguments.userID).\(arguments.processID)."
                + "\(arguments.timeSeconds)"
            file = try place.create(name)
            path = place.path(of: name)
            if arguments.ownerID != geteuid() {
                try file.give(to: FileSystemIdentity(userID: arguments.ownerID))
            }
        } catch {
            throw .system(error)
        }
        sink = CoreFileSink(
            ScratchFile(owning: file), limit: min(limit, arguments.coreLimit ?? .max))
    }

    func finish() -> String {
        guard let problem = sink.problem else { return "the core is kept in \(path)" }
        return "the core is kept in \(path) up to \(sink.byteCount) bytes: \(problem)"
    }
}
