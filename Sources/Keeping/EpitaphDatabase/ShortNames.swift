// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.AttachedFile`; our own code writes the short name.
package typealias AttachedFile = Epitaph.AttachedFile
package typealias AttachmentLimit = Epitaph.AttachmentLimit
package typealias AttachmentProblem = Epitaph.AttachmentProblem
package typealias DatabaseError = Epitaph.DatabaseError
package typealias DeliveryState = Epitaph.DeliveryState
package typealias DestinationStanding = Epitaph.DestinationStanding
package typealias LaunchEnd = Epitaph.LaunchEnd
package typealias PruneCandidate = Epitaph.PruneCandidate
package typealias PruneMode = Epitaph.PruneMode
package typealias PrunePlan = Epitaph.PrunePlan
package typealias PrunePolicy = Epitaph.PrunePolicy
package typealias PruneReason = Epitaph.PruneReason
package typealias PruneRemoval = Epitaph.PruneRemoval
package typealias PruneSummary = Epitaph.PruneSummary
package typealias RecordedLaunch = Epitaph.RecordedLaunch
package typealias Report = Epitaph.Report
package typealias ReportList = Epitaph.ReportList
package typealias ReportOrder = Epitaph.ReportOrder
package typealias ReportProblem = Epitaph.ReportProblem
package typealias ReportState = Epitaph.ReportState
