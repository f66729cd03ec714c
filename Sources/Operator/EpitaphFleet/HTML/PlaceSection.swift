// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages

enum PlaceSection {
    static func releases(_ week: FleetWeek) -> Markup? {
        guard !week.releases.isEmpty else { return nil }
        return Parts.section("releases", "Releases") {
            Parts.table(
                "Releases", class: "fleet releases",
                headings: [
                    "Program", "Version", "Crashes", "Share", "Hosts", "Signatures", "First crash",
                ]
            ) {
                for release in week.releases {
                    Parts.row(SignatureSection.shortened(FleetWords.program(release.program))) {
                        element("td") {
                            SignatureSection.shortened(FleetWords.version(release.version))
                            Parts.tag("new", "doubt", if: week.isNew(release))
                        }
                        TimeSection.amount(release.crashCount)
                        element("td", .class("amount")) { week.share(release.crashCount) }
                        TimeSection.amount(release.hostCount)
                        TimeSection.amount(release.signatureCount)
                        element("td", .class("when")) { TimeSection.stamp(release.first.minute) }
                    }
                }
            }
            SignatureSection.more(week.releaseCount - week.releases.count, "releases")
        }
    }

    static func hosts(_ week: FleetWeek) -> Markup? {
        guard !week.hosts.isEmpty else { return nil }
        return Parts.section(
            "hosts", "Hosts",
            note:
                "Those with the most different crashes: where everything crashes, the machine may "
                + "be at fault."
        ) {
            Parts.table(
                "Hosts", class: "fleet hosts",
                headings: ["Host", "Signatures", "Programs", "Crashes"]
            ) {
                for host in week.hosts {
                    Parts.row(SignatureSection.shortened(FleetWords.host(host.name))) {
                        TimeSection.amount(host.signatureCount)
                        TimeSection.amount(host.programCount)
                        TimeSection.amount(host.crashCount)
                    }
                }
            }
            SignatureSection.more(week.hostCount - week.hosts.count, "hosts")
        }
    }

    static func memoryErrors(_ week: FleetWeek) -> Markup? {
        guard !week.memoryErrors.isEmpty else { return nil }
        return Parts.section(
            "memory", "Memory errors",
            note: "Found by sampled allocations, in crashes and in programs that lived on."
        ) {
            Parts.table(
                "Memory errors", class: "fleet kinds",
                headings: ["Kind", "Reports", "Hosts", "Signatures"]
            ) {
                for error in week.memoryErrors {
                    Parts.row(Markup(text: error.name)) {
                        TimeSection.amount(error.reportCount)
                        TimeSection.amount(error.hostCount)
                        TimeSection.amount(error.signatureCount)
                    }
                }
            }
        }
    }

    static func otherKinds(_ week: FleetWeek) -> Markup? {
        guard !week.otherKinds.isEmpty else { return nil }
        return Parts.section(
            "other", "Other reports",
            note: "They are not crashes and, but for memory errors, counted nowhere else."
        ) {
            Parts.table("Other reports", class: "fleet kinds", headings: ["Kind", "Reports"]) {
                for kind in week.otherKinds {
                    Parts.row(SignatureSection.shortened(FleetWords.kind(kind.name))) {
                        TimeSection.amount(kind.reportCount)
                    }
                }
            }
        }
    }
}
