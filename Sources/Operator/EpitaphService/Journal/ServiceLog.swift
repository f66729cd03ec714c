// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

package protocol ServiceEventSink: Sendable {
    /// Blocks for at most a second or two and never fails: an event that cannot be written is lost.
    func record(_ event: ServiceEvent)
}

package final class ServiceLog: ServiceEventSink {
    package static let journalSocket = "/run/systemd/journal/socket"

    package enum Lines: Sendable {
        case prefixed
        case plain
    }

    private let socket: String?
    private let lines: Lines
    private let standardError = StandardErrorLine()

    /// - Parameter socket: the journal's; nil for standard error.
    package init(journal socket: String?, lines: Lines) {
        self.socket = socket
        self.lines = lines
    }

    /// - Parameter journalStream: the value of `JOURNAL_STREAM`, systemd.exec(5).
    package convenience init(_ choice: ServiceOptions.Log, journalStream: String?) {
        let isStream = journalStream.map { $0 == Self.standardErrorStream } ?? false
        let isJournal = choice == .journal || choice == .auto && isStream
        self.init(
            journal: isJournal ? Self.journalSocket : nil,
            lines: FileDescriptor.standardError.isTerminal ? .plain : .prefixed)
    }

    private static var standardErrorStream: String? {
        guard let identity = try? FileDescriptor.standardError.fileStatus().identity else {
            return nil
        }
        return "\(identity.device):\(identity.inode)"
    }

    package func record(_ event: ServiceEvent) {
        if let socket {
            do throws(SystemError) {
                try UnixDatagram(to: socket).send(event.journalEntry.bytes)
                return
            } catch {
                // Without a journal the line goes to standard error.
            }
        }
        let prefix = lines == .prefixed ? "<\(event.priority.rawValue)>" : "epitaph: "
        standardError.write(prefix + event.text)
    }
}
