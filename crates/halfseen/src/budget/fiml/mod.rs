//! Learns by keeping what was read: fits the joint distribution of attributes and target, and is tuned on the reads alone.

mod column;
mod covariance;
mod dense;
mod deviations;
mod estimate;
mod factor;
mod judge;
mod lanes;
mod link;
mod parts;
mod posterior;
mod reads;
mod small;
mod standard;
