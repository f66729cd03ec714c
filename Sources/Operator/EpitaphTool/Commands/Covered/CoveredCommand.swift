// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

enum CoveredCommand {
    static let description = CommandDescription(
        name: "covered",
        abstract: "show which processes of a service leave a report if they crash, and why",
        discussion: """
            Prints one line for each process: its id, its name, whether it is covered, and the
            reason. Nothing is asked of the processes: what they have mapped shows the library and
            the dump that a crash would fill.

            A process is covered if it has a dump, or was forked by one that has, and may still
            create its own or has inherited spare ones. "not known" is one that cannot be looked
            at: other users' processes need root. A program that was linked with Epitaph is shown
            as well.

            The status is 0 if all processes are covered, and otherwise 1.
            """,
        operands: [
            .init(
                "PID|SERVICE",
                "a process, with its descendants, or a unit of systemd, such as nginx or "
                    + "nginx.service", isRequired: true, kind: .text)
        ],
        options: [],
        examples: [
            .init("covered postfix@-.service", "shows the master and each daemon it started."),
            .init("covered 4711", "shows this process and its descendants."),
        ],
        run: run)

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let name = arguments.operands[0]
        let all = try rethrowing(WatchedProcess.all()) { (error: SystemError) in
            CommandFailure(.notFound, error.description)
        }
        let chosen = Int32(name).map { family(of: $0, in: all) } ?? members(of: name, in: all)
        guard !chosen.isEmpty else {
            throw CommandFailure(.notFound, "there is no process of \(name.printable())")
        }
        let others = Dictionary(all.map { ($0.id, $0) }) { $1 }
        for process in chosen {
            let coverage = process.coverage(among: others)
            let words = coverage.words
            output.print("\(process.id)  \(process.name)  \(words.state): \(words.why)")
            guard case .covered = coverage else {
                output.fail()
                continue
            }
        }
    }

    private static func members(of service: String, in all: [WatchedProcess]) -> [WatchedProcess] {
        let unit = service.contains(".") ? service : service + ".service"
        return all.filter { $0.isInGroup(named: unit) }
    }

    private static func family(of id: Int32, in all: [WatchedProcess]) -> [WatchedProcess] {
        guard all.contains(where: { $0.id == id }) else { return [] }
        let children = Dictionary(grouping: all, by: \.parentID)
        var found: Set<Int32> = []
        var waiting = [id]
        while let next = waiting.popLast() {
            guard found.insert(next).inserted else { continue }
            waiting += children[next, default: []].map(\.id)
        }
        return all.filter { found.contains($0.id) }
    }
}
