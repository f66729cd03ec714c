// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphSystem
import Glibc

struct FleetAlarm {
    private let alert: FleetAlert
    private let command: [String]

    private static let longestSeconds = 60
    private static let turnMicroseconds: UInt32 = 20_000

    init?(
        _ text: String?, then command: String?, of description: CommandDescription
    ) throws(CommandFailure) {
        guard let text else {
            guard command == nil else {
                throw CommandFailure(usage: "--then needs --alert WHAT", of: description)
            }
            return nil
        }
        guard let alert = FleetAlert(text) else {
            throw CommandFailure(
                usage: "--alert takes new, back, worse or worse=3x, several with commas, and not "
                    + "\(text)", of: description)
        }
        self.alert = alert
        self.command = command?.split(separator: " ").map(String.init) ?? []
        guard command == nil || !self.command.isEmpty else {
            throw CommandFailure(usage: "--then names no command", of: description)
        }
    }

    func judge(_ week: FleetWeek, _ output: Output) throws(CommandFailure) {
        let findings = alert.findings(in: week)
        if let doubt = alert.doubt(about: week) { output.complain(doubt) }
        guard !findings.isEmpty else { return }
        findings.forEach(output.note)
        output.alert()
        guard let program = command.first else { return }
        do throws(SystemError) {
            let child = try ChildProcess.spawn(program, Array(command.dropFirst()) + findings)
            try wait(for: child, output)
        } catch {
            output.note("cannot run the command of --then: \(error)")
        }
    }

    private func wait(for child: Int32, _ output: Output) throws(SystemError) {
        let turns = Self.longestSeconds * 1_000_000 / Int(Self.turnMicroseconds)
        for _ in 0..<turns {
            if let ending = try ChildProcess.endingIfEnded(of: child) {
                if ending != .exited(0) { output.note("the command of --then failed: \(ending)") }
                return
            }
            usleep(Self.turnMicroseconds)
        }
        kill(child, SIGKILL)
        output.note("the command of --then took more than \(Self.longestSeconds) s: it was killed")
    }
}
