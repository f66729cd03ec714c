// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Glibc

/// A core that systemd-coredump has stored: coredump.conf(5), `Storage=external`. It puts a file in
/// place when it is whole, and removes it when it likes. What was done about a core is kept in an
/// attribute of the file, so that it goes with the file.
package struct StoredCore {
    package let file: FileDescriptor
    package let path: String
    package let name: Name

    /// `core.COMM.UID.BOOT.PID.MICROSECONDS`, and an ending for a compression: submit_coredump,
    /// src/coredump/coredump.c. COMM has no dot.
    package struct Name: Sendable, Equatable {
        package let command: String
        package let userID: UInt32
        /// In the initial pid namespace.
        package let processID: Int32
        package let time: Timestamp

        package init?(_ name: String) {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard (6...7).contains(parts.count), parts[0] == "core", !parts[1].isEmpty,
                let user = UInt32(parts[2]), parts[3].utf8.count == 32,
                let process = Int32(parts[4]), process > 0, let time = Int64(parts[5]), time >= 0
            else { return nil }
            command = String(parts[1])
            userID = user
            processID = process
            self.time = Timestamp(secondsSince1970: Double(time) / 1_000_000)
        }
    }

    package enum Mark: Equatable {
        case nothing
        /// Tries begun. Each may have ended this program.
        case tried(Int)
        case reported(Epitaph.ID)
        /// None is made, for a reason that will not change.
        case refused

        fileprivate init(_ text: String?) {
            let words = (text ?? "").split(separator: " ").map(String.init)
            if let id = words.first.flatMap({ Epitaph.ID($0) }) {
                self = .reported(id)
            } else if words.count == 2, words[0] == "tried", let count = Int(words[1]) {
                self = .tried(count)
            } else {
                self = text == nil ? .nothing : .refused
            }
        }

        fileprivate var text: String {
            switch self {
            case .nothing: ""
            case .tried(let count): "tried \(count)"
            case .reported(let id): id.description
            case .refused: "none"
            }
        }
    }

    private static let attribute = "user.epitaph.report"
    private static let mostTries = 2

    /// - Throws: `.refused` for a name of another form.
    package init(opening path: String) throws(CoreHandlerError) {
        guard let name = Name(path.lastPathComponent) else {
            throw .refused(
                "\(path) is not named as systemd-coredump names its cores, "
                    + "core.COMM.UID.BOOT.PID.TIME")
        }
        self.name = name
        self.path = path
        file = try rethrowing(
            ForeignFile.open(path, followsLink: false), as: CoreHandlerError.system)
    }

    package func mark() throws(CoreHandlerError) -> Mark {
        Mark(try rethrowing(file.attribute(Self.attribute), as: CoreHandlerError.system))
    }

    package func set(_ mark: Mark) throws(CoreHandlerError) {
        try rethrowing(file.setAttribute(Self.attribute, mark.text), as: CoreHandlerError.system)
    }

    package var isDue: Bool {
        get throws(CoreHandlerError) {
            switch try mark() {
            case .nothing: true
            case .tried(let count): count < Self.mostTries
            case .reported, .refused: false
            }
        }
    }

    /// The process's user, if systemd-coredump lets that user read the core, otherwise root: the
    /// process had rights that the user lacks.
    package var ownerID: UInt32 {
        guard name.userID != geteuid() else { return name.userID }
        let user = FileSystemIdentity(userID: name.userID)
        let opened = try? user.during { () throws(SystemError) in
            try ForeignFile.open(path, followsLink: false)
        }
        guard case .success = opened else { return 0 }
        return name.userID
    }
}
