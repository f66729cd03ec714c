// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc

/// A whole core in the operator's directory, as `core.NAME.UID.PID.TIME`, with holes for zeros.
struct KeptCore {
    let sink: CoreFileSink
    private let path: String

    private static let step = 4 << 20

    /// Readable by the process's user, or by root alone if the kernel would give that user no core.
    init(
        in directory: String, _ arguments: CoreArguments, _ settings: CoreHandlerSettings
    ) throws(CoreHandlerError) {
        let most = min(UInt64(settings.keptCoreMebibytes) << 20, arguments.coreLimit ?? .max)
        let place: Directory
        let name: String
        let budget: CoreBudget
        let room: Int
        do throws(SystemError) {
            place = try Directory(named: directory)
            let status = try place.fileStatus()
            guard status.ownerID == geteuid(), status.permissions & 0o022 == 0 else {
                throw SystemError(call: "open", subject: directory, errorNumber: EPERM)
            }
            let letters = (arguments.name ?? "unknown").unicodeScalars.map {
                $0.value > 0x20 && $0.value < 0x7f && $0 != "/" ? String($0) : "-"
            }
            name =
                "core.\(letters.joined()).\(arguments.userID).\(arguments.processID)."
                + "\(arguments.timeSeconds)"
            budget = try CoreBudget(settings, of: place)
            room = try budget.makeRoom(in: place, wanted: Self.step)
        } catch {
            throw .system(error)
        }
        guard room > 0 else { throw .refused("there is no room for it in \(directory)") }
        let file: FileDescriptor
        do throws(SystemError) {
            file = try place.create(name)
            if arguments.ownerID != geteuid() {
                try file.give(to: FileSystemIdentity(userID: arguments.ownerID))
            }
        } catch {
            throw .system(error)
        }
        path = place.path(of: name)
        sink = CoreFileSink(ScratchFile(owning: file), limit: most) {
            (try? budget.makeRoom(in: place, wanted: Self.step, sparing: name)) ?? 0
        }
    }

    func finish() -> String {
        guard let problem = sink.problem else { return "the core is kept in \(path)" }
        return "the core is kept in \(path) up to \(sink.byteCount) bytes: \(problem)"
    }
}
